import { ActivityFailure, log } from '@temporalio/workflow';
import { finalPhase } from '../domain/builds/build-phase.ts';
import { isAtRest } from '../domain/builds/build-state.ts';
import type { BuildSourceResult, SentPackages } from '../domain/builds/build-workflow.ts';
import type { ListedPackages } from '../domain/builds/built-package.ts';
import type { Failure, RootCause } from '../domain/builds/failure.ts';
import { architectureBuilds, FINAL_REPORT_KEY } from '../domain/builds/progress.ts';
import { listed } from '../domain/text/listed.ts';
import { failureOfActivity, isOfEndedAttempt } from './activity-failure.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { cancelled, NOTHING_UPLOADED, withNotBuilt } from './failure-texts.ts';
import type { Outcome } from './outcome.ts';

const MAX_MISSING_LOGS = 10;

/** Collects the logs, as `collecting`: those of a build that failed may say why. What was built is listed, too. */
export async function collectLogs(attempt: BuildAttempt): Promise<FoundLogs> {
  const { records } = attempt.watched;
  if (!records.some(isAtRest)) return NO_LOGS;
  await attempt.begin('collecting');
  const { request, ppa, limits } = attempt.input;
  const { buildId, series } = request;
  // What is left of the build is for the wait for a free worker.
  const withinMs = attempt.remainingMs() + limits.logCollectionMs;
  try {
    const {
      logs,
      missing,
      rootCauses = [],
      built,
    } = await attempt.activities.collectLogs('logs into the data store', withinMs, {
      ...attempt.name,
      records,
      built: { ppa, series, packages: attempt.sentVersions() },
    });
    if (missing.length > 0)
      alarm(`${listed(missing, MAX_MISSING_LOGS)} could not be fetched`, buildId);
    return { logs: logs.map(({ url }) => url), rootCauses, ...(built ? { built } : {}) };
  } catch (error) {
    // Logs that cannot be had do not change how the build ended.
    if (!(error instanceof ActivityFailure)) throw error;
    // The logs of an attempt that had ended before were collected then.
    if (!isOfEndedAttempt(error)) alarm(failureOfActivity(error, 'internal').message, buildId);
    return NO_LOGS;
  }
}

function alarm(problem: string, buildId: number): void {
  log.error('the final message of a build lacks logs', {
    buildId,
    alarm: 'logs_not_collected',
    problem,
  });
}

/**
 * Reports the one final message, and enters the phase that it tells of.
 *
 * @param outcome of a cancellation that found nothing uploaded, the rows are asked whether they know of an upload
 * @returns the result; or what an earlier run of the workflow has sent, and nothing is reported
 */
export async function finish(
  attempt: BuildAttempt,
  outcome: Outcome,
  { logs, rootCauses, built }: FoundLogs,
): Promise<BuildSourceResult | { state: 'sent before'; sent: SentPackages }> {
  const failure = finalFailure(attempt, outcome, rootCauses);
  const foundNothing = outcome.state === 'cancelled' && outcome.left === NOTHING_UPLOADED;
  const reported = await attempt.report({
    key: FINAL_REPORT_KEY,
    message: failure ? 'FAILURE' : 'COMPLETE',
    builds: architectureBuilds(attempt.watched.records),
    logs,
    ...(failure && { failure }),
    ...(built && { built }),
    ...(foundNothing && { ifNothingSent: true }),
  });
  if (reported?.sent) return { state: 'sent before', sent: reported.sent };
  attempt.enter(finalPhase(failure), failure);
  return failure ? { state: 'failed', failure, logs } : { state: 'completed', logs };
}

/** The logs' URLs, what the logs say of each failure, and what was built. */
export type FoundLogs = { logs: string[]; rootCauses: RootCause[]; built?: ListedPackages };

const NO_LOGS: FoundLogs = { logs: [], rootCauses: [] };

/**
 * The failure that the final message tells of; undefined where the build is completed. A cancellation counts until
 * then, whatever the build came to meanwhile.
 */
function finalFailure(
  { watched }: BuildAttempt,
  outcome: Outcome,
  rootCauses: readonly RootCause[],
): Failure | undefined {
  const { cancellation } = watched;
  if (cancellation) return withNotBuilt(cancelled(cancellation, outcome), watched);
  return outcome.state === 'failed'
    ? withNotBuilt(withRootCause(outcome.failure, rootCauses), watched)
    : undefined;
}

/** The failure with the lines of its log that say why. */
function withRootCause(failure: Failure, rootCauses: readonly RootCause[]): Failure {
  const cause = rootCauses.find(
    (each) => each.package === failure.package && each.architecture === failure.architecture,
  );
  if (!cause) return failure;
  const { excerpt, excerptLine, line } = cause;
  return {
    ...failure,
    excerpt,
    ...(excerptLine === undefined ? {} : { excerpt_line: excerptLine }),
    line,
  };
}
