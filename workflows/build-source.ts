import {
  ActivityCancellationType,
  ActivityFailure,
  allHandlersFinished,
  CancelledFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { BuildState } from '../domain/build-request.ts';
import {
  CANCEL_SIGNAL,
  STATUS_QUERY,
  type BuildSourceInput,
  type BuildSourceResult,
  type BuildStatus,
  type WatchState,
} from '../domain/build-workflow.ts';
import type { CheckedPackage } from '../domain/source-file.ts';
import { isAtRest, judgeBuildRecords, waitsForDependencies } from '../domain/build-state.ts';
import { failureOf, type Failure, type RootCause } from '../domain/failure.ts';
import { printable } from '../domain/printable.ts';
import { architectureBuilds, type ProgressReport } from '../domain/progress.ts';
import { ppaReference } from '../domain/ppa.ts';
import { mayHaveArrived } from '../domain/upload-progress.ts';
import { activityStubs } from './activity-stubs.ts';
import { buildDetails } from './build-details.ts';
import { BuildEnded, orEnd } from './build-ended.ts';
import { failed, finalFailure, type Outcome } from './outcome.ts';
import { pollDelayMs } from './poll-schedule.ts';

const cancelSignal = defineSignal<[requestedBy?: unknown]>(CANCEL_SIGNAL);
const statusQuery = defineQuery<BuildStatus>(STATUS_QUERY);
const buildStateKey = defineSearchAttributeKey('AirlineBuildState', SearchAttributeType.KEYWORD);

const MAX_CALLER_LENGTH = 300;

const UNCLEAR_UPLOAD_HINT =
  'It may not have arrived whole. What may have arrived is never sent again unasked: retry the build, which sends what the PPA does not hold.';

const ENDED_BEFORE = 'its row had ended before it could start';

/**
 * Builds the source packages of one request in a PPA and reports every step to the caller's queue.
 *
 *     checking → uploading → accepting → building → collecting → completed | failed
 *
 * Between two looks at the PPA it sleeps in a durable timer. The `cancel` signal, the caller's cancel URL and
 * Temporal's own cancellation all end in one path: cancel in the PPA, wait for it, collect the logs, report. They
 * count until the final message is recorded. A build that runs out of time is stopped in the PPA in the same way.
 * Whatever ends an attempt, exactly one final message is reported, and a failed build is a result.
 *
 * A later attempt asks the PPA to retry what failed there, where all packages are in the PPA already; otherwise, and
 * where the PPA has nothing to retry, it goes the whole way, on which an upload that is there is not sent again.
 */
export async function BuildSourceWorkflow(input: BuildSourceInput): Promise<BuildSourceResult> {
  const { request, ppa, limits } = input;
  const { buildId, attempt = 1 } = request;
  const activities = activityStubs(limits);
  const root = CancellationScope.current();
  const work = new CancellationScope({ cancellable: true, parent: root });
  let state: BuildState = input.resumed ? 'building' : 'queued';
  const watched: WatchState = input.resumed ?? {
    packages: [],
    sent: 0,
    accepted: false,
    records: [],
    polls: 0,
    startedAtMs: Date.now(),
    uploadedAtMs: 0,
    reportedAtMs: 0,
    dependencyWaitSinceMs: null,
    cancellation: null,
  };
  const deadlineMs = watched.startedAtMs + limits.wholeBuildMs;
  let isPublished = false;

  setHandler(statusQuery, () => ({
    state,
    records: watched.records,
    polls: watched.polls,
    cancellation: watched.cancellation,
  }));
  setHandler(cancelSignal, (requestedBy) => cancel(callerOf(requestedBy)));

  const outcome = await run();
  enter('collecting');
  const result = await CancellationScope.nonCancellable(() => finish(outcome));
  // So that Temporal shows as cancelled what was cancelled there.
  if (root.consideredCancelled) throw new CancelledFailure('cancelled through Temporal');
  return result;

  function cancel(requestedBy: string): void {
    watched.cancellation ??= { requestedBy, requestedAtMs: Date.now() };
    work.cancel();
  }

  function enter(next: BuildState, failure?: Failure): void {
    state = next;
    setCurrentDetails(
      buildDetails({ ...watched, request, state, ...(failure ? { failure } : {}) }),
    );
  }

  async function run(): Promise<Outcome> {
    try {
      if (watched.cancellation) work.cancel();
      return await work.run(async () => {
        if (!input.resumed) {
          const started = await report({ key: 'started', message: 'STARTED' });
          if (wasEnded(started)) throw new BuildEnded(failureOf('internal', ENDED_BEFORE));
          if (!(await retryInPpa())) await upload();
        }
        return await watch();
      });
    } catch (error) {
      if (isCancellation(error)) {
        noteNativeCancellation();
        return { state: 'cancelled', leaves: await CancellationScope.nonCancellable(stopInPpa) };
      }
      if (!(error instanceof BuildEnded)) throw error;
      const { failure } = error;
      if (error.lastUpload && mayHaveArrived(error.lastUpload) && patched('stop-unclear-upload'))
        watched.sent = Math.min(watched.sent + 1, watched.packages.length);
      else if (failure.class !== 'timed_out' || watched.sent === 0 || !patched('stop-timed-out'))
        return failed(withRemainder(failure));
      const leaves = await CancellationScope.nonCancellable(stopInPpa);
      return failed({ ...failure, message: `${failure.message}; ${leaves}` });
    }
  }

  function report(event: Omit<ProgressReport, 'buildId' | 'attempt'>) {
    return activities.reportProgress({ buildId, attempt, ...event });
  }

  function noteNativeCancellation(): void {
    watched.cancellation ??= {
      requestedBy: "Temporal's own cancellation",
      requestedAtMs: Date.now(),
    };
  }

  /** Whether the PPA builds again what failed in an earlier attempt. */
  async function retryInPpa(): Promise<boolean> {
    const packages = input.retry;
    if (!packages) return false;
    enter('accepting');
    const takeForSent = () => {
      watched.packages = packages.map((each) => ({ ...each, files: [] }));
      watched.sent = packages.length;
      watched.uploadedAtMs = Date.now();
    };
    // Some may be building before all of them were asked for: a cancellation has to find them.
    const isStoppable = patched('stop-cancelled-retry');
    if (isStoppable) takeForSent();
    const { retried } = await orEnd(
      'timed_out',
      activities.retryBuilds(
        `retry what failed in ${ppaReference(ppa)}`,
        Math.max(deadlineMs - Date.now(), 1),
        { ppa, packages },
        isStoppable
          ? ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
          : ActivityCancellationType.TRY_CANCEL,
      ),
    );
    if (retried === 0) {
      watched.packages = [];
      watched.sent = 0;
      return false;
    }
    takeForSent();
    return true;
  }

  async function upload(): Promise<void> {
    enter('checking');
    watched.packages = await orEnd(
      'timed_out',
      activities.checkSources(`fetch and check ${request.sourcePackages.length} files`, {
        buildId,
        sourcePackages: request.sourcePackages,
      }),
    );
    enter('uploading');
    for (const [index, sourcePackage] of watched.packages.entries()) {
      const { isUnclear } = await orEnd(
        'upload_failed',
        activities.uploadSource(`${nameOf(sourcePackage)} to ${ppaReference(ppa)}`, {
          ppa,
          series: request.series,
          package: sourcePackage,
          ...(index === 0 ? { others: watched.packages.slice(1) } : {}),
        }),
      );
      watched.sent += 1;
      if (isUnclear) (watched.unclear ??= []).push(nameOf(sourcePackage));
    }
    watched.uploadedAtMs = Date.now();
    enter('accepting');
  }

  async function watch(): Promise<Outcome> {
    for (;;) {
      const acceptanceDeadlineMs = watched.accepted
        ? deadlineMs
        : watched.uploadedAtMs + limits.acceptanceMs;
      const untilDeadlineMs = Math.min(acceptanceDeadlineMs, deadlineMs) - Date.now();
      if (untilDeadlineMs <= 0)
        throw new BuildEnded(acceptanceDeadlineMs < deadlineMs ? notAccepted() : tooLong());
      const delayMs = pollDelayMs(limits, watched.polls, untilDeadlineMs);
      await sleep(delayMs, {
        summary: `look ${watched.polls + 1} at the PPA in ${delayMs / 1000} s`,
      });
      await look(Math.max(deadlineMs - Date.now(), 1));
      if (watched.accepted) {
        const verdict = judgeBuildRecords(watched.records, dependencyWaitIsOver());
        const isAwaited = limits.awaitPublication && verdict.state === 'completed' && !isPublished;
        if (verdict.state !== 'active' && !isAwaited) return verdict;
      }
      const { historyLength, continueAsNewSuggested } = workflowInfo();
      if (historyLength >= limits.historyMaxEvents || continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof BuildSourceWorkflow>({ ...input, resumed: watched });
      }
    }
  }

  /** One look at the PPA and the cancel URL; a change, and the regular interval, is reported on the way. */
  async function look(withinMs: number): Promise<void> {
    watched.polls += 1;
    const looking = orEnd(
      'timed_out',
      activities.watchBuilds(`look ${watched.polls}`, withinMs, {
        buildId,
        attempt,
        ppa,
        packages: sent().map(({ source, version }) => ({ source, version })),
        ...(watched.accepted ? {} : { unverified: { series: request.series, packages: sent() } }),
        previous: watched.records,
        reportKey: `look-${watched.polls}`,
        reportDue: Date.now() - watched.reportedAtMs >= limits.progressIntervalMs,
        cancelUrl: watched.cancellation ? null : request.cancelUrl,
        awaitPublication: limits.awaitPublication ?? false,
      }),
    );
    const seen = await looking.catch((error: unknown) => {
      if (error instanceof BuildEnded && error.failure.class === 'timed_out')
        throw new BuildEnded(tooLong(error.failure.message));
      throw error;
    });
    watched.records = seen.records;
    isPublished = seen.published;
    if (seen.reported) watched.reportedAtMs = Date.now();
    if (seen.accepted && !watched.accepted)
      upsertSearchAttributes([{ key: buildStateKey, value: 'building' }]);
    watched.accepted ||= seen.accepted;
    watched.dependencyWaitSinceMs = watched.records.some(waitsForDependencies)
      ? (watched.dependencyWaitSinceMs ?? Date.now())
      : null;
    enter(watched.accepted ? 'building' : 'accepting');
    if (seen.cancelRequested) cancel('the cancel URL');
  }

  function sent(): CheckedPackage[] {
    return watched.packages.slice(0, watched.sent);
  }

  /** A failure of one package, with those of the request that the PPA may build all the same. */
  function withRemainder(failure: Failure): Failure {
    const built = new Set(watched.records.map((record) => record.package));
    const shown = sent().filter(({ source }) => built.has(source));
    const isUnknown = state === 'uploading' || (shown.length === 0 && watched.sent > 1);
    const remainder = isUnknown ? sent() : shown;
    if (remainder.length === 0) return failure;
    const names = remainder.map(nameOf).join(', ');
    return {
      ...failure,
      message: `${failure.message}; ${names} had been sent to ${ppaReference(ppa)}, which may build what it takes`,
    };
  }

  function dependencyWaitIsOver(): boolean {
    return (
      watched.dependencyWaitSinceMs !== null &&
      Date.now() - watched.dependencyWaitSinceMs >= limits.dependencyWaitMs
    );
  }

  function notAccepted(): Failure {
    const { unclear } = watched;
    const names = (unclear ?? watched.packages.map(nameOf)).join(', ');
    const what = `${ppaReference(ppa)} has not shown ${names} within ${limits.acceptanceMs / 1000} s of its upload`;
    return unclear
      ? failureOf('upload_failed', `${what}, which broke off in its last file`, {
          hint: UNCLEAR_UPLOAD_HINT,
        })
      : failureOf('upload_rejected', what);
  }

  /** @param because what the last look came to, where it failed */
  function tooLong(because?: string): Failure {
    const limit = `${limits.wholeBuildMs / 1000} s`;
    const verdict = judgeBuildRecords(watched.records, false);
    const what =
      verdict.state === 'completed'
        ? `all was built, and its binaries were not published within ${limit}`
        : `the build did not end within ${limit}`;
    return failureOf('timed_out', because ? `${what}: ${because}` : what);
  }

  /**
   * Cancels what the PPA can cancel and waits until nothing of this request is building there.
   *
   * @returns what is left there
   */
  async function stopInPpa(): Promise<string> {
    const untilMs = Date.now() + limits.cancellationMs;
    let refusal = '';
    for (let round = 0; watched.sent > 0 && Date.now() < untilMs; round++) {
      const withinMs = Math.max(untilMs - Date.now(), 1);
      try {
        if (watched.records.length > 0) {
          const { records } = watched;
          const answer = await activities.cancelBuilds('cancel in the PPA', withinMs, { records });
          refusal = answer.refused?.[0] ?? '';
        }
        await look(withinMs);
      } catch (error) {
        if (error instanceof ActivityFailure || error instanceof BuildEnded) break;
        throw error;
      }
      if (watched.accepted && watched.records.every(isAtRest)) break;
      const delayMs = pollDelayMs(limits, round, untilMs - Date.now());
      await sleep(delayMs, { summary: 'wait for the PPA to cancel' });
    }
    if (watched.sent === 0) return 'nothing had been uploaded';
    if (!watched.accepted) return 'the PPA had not shown the upload yet and may still build it';
    const active = watched.records.filter((record) => !isAtRest(record));
    if (active.length === 0) return 'the PPA builds nothing of it any more';
    const names = active.map((record) => `${record.package} on ${record.architecture}`);
    return `the PPA did not end ${names.join(', ')} in time${refusal && `: ${refusal}`}`;
  }

  async function finish(outcome: Outcome): Promise<BuildSourceResult> {
    const { logs, rootCauses } = watched.records.some(isAtRest)
      ? await collectLogs()
      : { logs: [], rootCauses: [] };
    if (root.consideredCancelled) noteNativeCancellation();
    const failure = finalFailure(outcome, watched.cancellation, rootCauses);
    await report({
      key: 'final',
      message: failure ? 'FAILURE' : 'COMPLETE',
      builds: architectureBuilds(watched.records),
      logs,
      ...(failure ? { failure } : {}),
    });
    const ended = failure ? 'failed' : 'completed';
    upsertSearchAttributes([{ key: buildStateKey, value: ended }]);
    enter(ended, failure);
    return failure ? { state: 'failed', failure, logs } : { state: 'completed', logs };
  }

  /** The logs' URLs. Logs that cannot be had do not change how the build ended. */
  async function collectLogs(): Promise<{ logs: string[]; rootCauses: RootCause[] }> {
    try {
      const { logs, rootCauses = [] } = await activities.collectLogs('logs into the data store', {
        buildId,
        attempt,
        records: watched.records,
      });
      return { logs: logs.map(({ url }) => url), rootCauses };
    } catch (error) {
      if (error instanceof ActivityFailure) return { logs: [], rootCauses: [] };
      throw error;
    }
  }
}

function nameOf({ source, version }: CheckedPackage): string {
  return `${source} ${version}`;
}

/** Results of histories from before this was told are empty. */
function wasEnded(started: { isEnded: boolean } | undefined): boolean {
  return started?.isEnded ?? false;
}

/** Who asks, on one line: Temporal's own tools send a signal with any JSON of any length. */
function callerOf(given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '') return 'an unnamed caller';
  return printable(given.slice(0, MAX_CALLER_LENGTH)).replaceAll(/\s+/g, ' ');
}
