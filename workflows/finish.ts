import { ActivityFailure } from '@temporalio/workflow';
import { finalPhase } from '../domain/build-phase.ts';
import { isAtRest } from '../domain/build-state.ts';
import type { BuildSourceResult } from '../domain/build-workflow.ts';
import type { Failure, RootCause } from '../domain/failure.ts';
import { architectureBuilds } from '../domain/progress.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { cancelled } from './failure-texts.ts';
import type { Outcome } from './outcome.ts';

/** Collects the logs, as `collecting`: those of a build that failed may say why. */
export async function collectLogs(attempt: BuildAttempt): Promise<FoundLogs> {
  const { records } = attempt.watched;
  if (!records.some(isAtRest)) return NO_LOGS;
  await attempt.begin('collecting');
  const { buildId, attempt: number = 1 } = attempt.input.request;
  try {
    const { logs, rootCauses = [] } = await attempt.activities.collectLogs(
      'logs into the data store',
      { buildId, attempt: number, records },
    );
    return { logs: logs.map(({ url }) => url), rootCauses };
  } catch (error) {
    // Logs that cannot be had do not change how the build ended.
    if (error instanceof ActivityFailure) return NO_LOGS;
    throw error;
  }
}

/** Reports the one final message, and enters the phase that it tells of. */
export async function finish(
  attempt: BuildAttempt,
  outcome: Outcome,
  { logs, rootCauses }: FoundLogs,
): Promise<BuildSourceResult> {
  const failure = finalFailure(attempt, outcome, rootCauses);
  await attempt.report({
    key: 'final',
    message: failure ? 'FAILURE' : 'COMPLETE',
    builds: architectureBuilds(attempt.watched.records),
    logs,
    ...(failure ? { failure } : {}),
  });
  attempt.enter(finalPhase(failure), failure);
  return failure ? { state: 'failed', failure, logs } : { state: 'completed', logs };
}

/** The logs' URLs, and what the logs say of each failure. */
export type FoundLogs = { logs: string[]; rootCauses: RootCause[] };

const NO_LOGS: FoundLogs = { logs: [], rootCauses: [] };

/**
 * The failure that the final message tells of; undefined where the build is completed. A cancellation counts until then,
 * whatever the build came to meanwhile.
 */
function finalFailure(
  { watched: { cancellation } }: BuildAttempt,
  outcome: Outcome,
  rootCauses: readonly RootCause[],
): Failure | undefined {
  if (cancellation) return cancelled(cancellation, outcome);
  return outcome.state === 'failed' ? withRootCause(outcome.failure, rootCauses) : undefined;
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
