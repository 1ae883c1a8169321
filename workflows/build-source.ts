import {
  CancellationScope,
  CancelledFailure,
  defineQuery,
  defineSignal,
  isCancellation,
  patched,
  setHandler,
} from '@temporalio/workflow';
import {
  CANCEL_SIGNAL,
  CANCEL_URL_CALLER,
  STATUS_QUERY,
  type BuildSourceInput,
  type BuildSourceResult,
  type BuildStatus,
  type SentPackages,
} from '../domain/builds/build-workflow.ts';
import type { Failure } from '../domain/builds/failure.ts';
import { NEWS_SIGNAL } from '../domain/builds/ppa-watch.ts';
import type { CheckedPackage } from '../domain/packages/source-file.ts';
import { mayHaveArrived } from '../domain/builds/upload-progress.ts';
import { BuildAttempt } from './build-attempt.ts';
import { BuildEnded, CallerGone } from './build-ended.ts';
import { endedBeforeStart, NOT_SHOWN_YET, withSentPackages } from './failure-texts.ts';
import { callerOf, newsOf } from './signal-arguments.ts';
import { collectLogs, finish } from './finish.ts';
import { ofAllLevels } from './levels.ts';
import { needsMerge } from './merge.ts';
import type { Outcome } from './outcome.ts';
import { retryInPpa } from './retry-in-ppa.ts';
import { stopInPpa } from './stop-in-ppa.ts';
import { upload, uploadNext } from './upload.ts';
import { watch } from './watch.ts';

const cancelSignal = defineSignal<[requestedBy?: unknown]>(CANCEL_SIGNAL);
const newsSignal = defineSignal<[news?: unknown]>(NEWS_SIGNAL);
const statusQuery = defineQuery<BuildStatus>(STATUS_QUERY);

const TEMPORAL_ITSELF = "Temporal's own cancellation";

/**
 * Builds the source packages of one request in a PPA and reports every step to the caller's queue.
 *
 *     queued → (merging →) checking → uploading → accepting → building → collecting → completed | failed | cancelled
 *        └────────────────────────── a retry ─────────↑
 *
 * Every phase and its exits. Each is reported as it begins. The watch of the PPA tells it what it waits for there; a
 * build without `ppaWatch` polls by itself. STOP is the way out over the PPA: cancel there what can be cancelled, poll
 * until nothing is active, `cancellationMs` at most; then `collecting`. A cancellation is the `cancel` signal, the
 * caller's cancel URL (read while sources are checked and uploaded, or the PPA is asked to retry, and with each poll)
 * or Temporal's own; all three end in STOP, and count until the final message is on its way to be recorded. One that
 * finds nothing uploaded ends in STOP all the same where an earlier run, as before a reset, had sent something.
 *
 * - `queued`: the attempt is reported as STARTED. Exits: `accepting` where all packages are in the PPA already and it
 *   retries their builds; `merging` where its source is yet to be made of a merge proposal; else `checking`. Cancelled,
 *   or the row has ended meanwhile: `collecting`.
 * - `merging`, of a merge proposal whose source is not made yet: make it (`sourceCheckMs` once a worker takes it).
 *   Exits: `checking`. The branches do not merge, no source can be made of them, or out of time: `collecting`, as a
 *   failure. Cancelled: `collecting`.
 * - `checking`: fetch and check the sources (`sourceCheckMs` once a worker takes it). Exits: `uploading`. A wrong
 *   source, or out of time: `collecting`, as a failure. Cancelled: `collecting`; nothing is in the PPA.
 * - `uploading`: one package after the other (`uploadMs` each). Exits: `accepting`. One does not get through:
 *   `collecting`, as a failure that names those that were sent; STOP first where it may have arrived all the same.
 *   Out of time for the whole build, or cancelled: STOP; an upload that can no longer be taken back ends first.
 * - `accepting`: wait until the PPA shows every package (`acceptanceMs`). Exits: `building`. Not shown in time:
 *   `collecting`, as a failure. Out of time for the whole build (`wholeBuildMs`), or cancelled: STOP.
 * - `building`, by the build records `waiting_for_builder` or `dependency_wait`: wait for the verdict; Dependency
 *   wait counts as failed once nothing else was under way for its grace (`dependencyWaitMs`). Exits: `collecting`, with
 *   the verdict. Out of time for the whole build, or cancelled: STOP. A long history (`historyMaxEvents`) continues as
 *   new meanwhile, in `accepting` and in STOP too; the new run starts here.
 * - `prerequisite_wait`, of a request with an order: all that is uploaded is built, and others of its packages need it.
 *   Wait until the PPA has published it. Exits: `uploading`, with the packages of the next level; those that need one
 *   that was not built are left out. Out of time for the whole build, or cancelled: STOP.
 * - `collecting`: copy the logs, where a build has ended (`logCollectionMs` once a worker takes it); logs that cannot
 *   be had change nothing, save that an alarm says so. Exits: `completed` or `failed`; always `cancelled` once a
 *   cancellation was asked for.
 * - `completed`, `failed`, `cancelled`: the one final message is recorded. A failed build is a result; the workflow
 *   throws only where Temporal itself cancelled it, so that it is shown there as cancelled.
 */
export async function BuildSourceWorkflow(input: BuildSourceInput): Promise<BuildSourceResult> {
  const root = CancellationScope.current();
  const attempt = new BuildAttempt(input);
  setHandler(statusQuery, () => attempt.status());
  setHandler(cancelSignal, (requestedBy) => attempt.cancel(callerOf(requestedBy)));
  setHandler(newsSignal, (news) => attempt.addNews(newsOf(news)));

  const outcome = await run(attempt);
  const result = await CancellationScope.nonCancellable(() => end(attempt, outcome, root));
  if (root.consideredCancelled) throw new CancelledFailure('cancelled through Temporal');
  return result;
}

/** All phases up to `collecting`. */
async function run(attempt: BuildAttempt): Promise<Outcome> {
  const { stopping } = attempt.watched;
  if (stopping) return stopShielded(attempt, stopping.failure);
  try {
    return await attempt.runCancellable(async () => {
      if (!attempt.input.resumed) {
        const phase = attempt.input.retry
          ? 'accepting'
          : needsMerge(attempt)
            ? 'merging'
            : 'checking';
        const started = await attempt.report({ key: 'started', message: 'STARTED', phase });
        if (started?.isEnded) throw new BuildEnded(endedBeforeStart());
        attempt.enter(phase);
        if (!(await retryInPpa(attempt))) await upload(attempt);
      }
      for (;;) {
        const outcome = await watch(attempt);
        if (!attempt.hasLater()) return ofAllLevels(attempt, outcome);
        await uploadNext(attempt);
      }
    });
  } catch (error) {
    if (isCancellation(error) || error instanceof CallerGone) {
      attempt.noteCancellation(error instanceof CallerGone ? CANCEL_URL_CALLER : TEMPORAL_ITSELF);
      return stopShielded(attempt);
    }
    if (error instanceof BuildEnded) return endEarly(attempt, error);
    throw error;
  }
}

/** Collects the logs and reports the end, once what an earlier run has sent is stopped, too. */
async function end(
  attempt: BuildAttempt,
  outcome: Outcome,
  root: CancellationScope,
): Promise<BuildSourceResult> {
  const logs = await collectLogs(attempt);
  if (root.consideredCancelled) attempt.noteCancellation(TEMPORAL_ITSELF);
  const result = await finish(attempt, outcome, logs);
  if (result.state !== 'sent before') return result;
  return end(attempt, await stopSentBefore(attempt, result.sent), root);
}

/** Stops what an earlier run of this workflow has sent, of which this one, that begins before that, did not know. */
async function stopSentBefore(attempt: BuildAttempt, sent: SentPackages): Promise<Outcome> {
  if (sent.packages.length === 0) return { state: 'cancelled', left: NOT_SHOWN_YET };
  const { watched } = attempt;
  const { packages, ...known } = sent;
  Object.assign(watched, known, {
    packages: packages.map((each) => ({ ...each, files: [] })),
    sent: packages.length,
    uploadedAtMs: Date.now(),
  });
  delete watched.stopping;
  return stopShielded(attempt);
}

/** A build that ended before there was a verdict is stopped in the PPA where it may still be building there. */
async function endEarly(
  attempt: BuildAttempt,
  { failure, lastUpload }: BuildEnded,
): Promise<Outcome> {
  const { watched, input } = attempt;
  const uploadMayBeInPpa = lastUpload !== undefined && mayHaveArrived(lastUpload);
  // An activity that is to be cancelled is not tried again: where its worker dies, it fails.
  const isCancelled =
    watched.cancellation !== null || CancellationScope.current().consideredCancelled;
  // Each was added later; a history from before goes on without it.
  const stopsUpload = uploadMayBeInPpa && patched('stop-unclear-upload');
  const stopsSent =
    !stopsUpload &&
    watched.sent > 0 &&
    ((failure.class === 'timed_out' && patched('stop-timed-out')) ||
      (isCancelled && patched('stop-cancelled-failure')));
  if (!stopsUpload && !stopsSent)
    return {
      state: 'failed',
      failure: withSentPackages(failure, input.ppa, packagesToName(attempt)),
    };
  if (stopsUpload) watched.sent = Math.min(watched.sent + 1, watched.packages.length);
  return stopShielded(attempt, failure);
}

/**
 * Stops the builds in the PPA whatever is cancelled meanwhile.
 *
 * @param failure why, where nobody has cancelled them
 */
async function stopShielded(attempt: BuildAttempt, failure?: Failure): Promise<Outcome> {
  const left = await CancellationScope.nonCancellable(() => stopInPpa(attempt, failure));
  return failure
    ? { state: 'failed', failure: { ...failure, message: `${failure.message}; ${left}` } }
    : { state: 'cancelled', left };
}

/**
 * The packages that a failure has to name, because the PPA may build them: those it shows, or all where that is
 * unknown.
 */
function packagesToName(attempt: BuildAttempt): CheckedPackage[] {
  const sent = attempt.sentPackages();
  const withBuilds = new Set(attempt.watched.records.map((record) => record.package));
  const shown = sent.filter(({ source }) => withBuilds.has(source));
  const isUnknown = attempt.isUploading() || (shown.length === 0 && sent.length > 1);
  return isUnknown ? sent : shown;
}
