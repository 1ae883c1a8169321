import type { Logger } from 'pino';
import { failureOf, type Failure } from '../domain/failure.ts';
import { acceptedPpa } from '../domain/ppa.ts';
import type { Build } from '../models/build.ts';
import type { Database } from '../models/database.ts';
import { startPollingLoop } from '../timing/polling-loop.ts';
import type { BuildWorkflows } from './build-workflows.ts';
import { isTemporalUnavailable, StartRefusedError } from './temporal-errors.ts';

const BATCH_SIZE = 100;
/** Builds that one dispatcher starts side by side: Temporal takes longer to answer than to start one more. */
const LANES = 8;
/** A lane starts at most so many before it waits for the others, some of which may have found nothing and stopped. */
const MAX_PER_LANE = 10;
/** Builds that a step tries in vain before the rest waits, too: Temporal may be unavailable. */
const MAX_FAILED = 8;
/** Key of a build's final report; the workflow uses the same, so that only one of the two is recorded. */
const FINAL_REPORT = 'final';

export type Dispatcher = {
  /** Polls now, unless Temporal or the database has just failed. */
  wake(): void;
  /** Resolves when the work in hand is done. */
  stop(): Promise<void>;
};

/**
 * Carries over to Temporal what the build rows say: starts the workflows of accepted builds, delivers
 * cancellations, and ends builds whose workflow ended without a result. Everything is on the rows, so that nothing is
 * lost while Temporal is down or the process dies; several dispatchers share the work.
 *
 * @param options.intervalMs wait between polls where nothing wakes it
 * @param options.maxBackoffMs longest wait after failures; each failure doubles it
 * @param options.sweepIntervalMs wait between searches for workflows that ended without a result
 * @param options.startMs time for a build to get its workflow; a build that had none has timed out
 * @param options.silenceMs Temporal is asked after the workflow of a build that was silent for so long
 */
export function startDispatcher(options: {
  database: Database;
  workflows: BuildWorkflows;
  logger: Logger;
  intervalMs: number;
  maxBackoffMs: number;
  sweepIntervalMs: number;
  startMs: number;
  silenceMs: number;
}): Dispatcher {
  const { database, workflows, logger } = options;
  const stopping = new AbortController();
  let sweptAtMs = 0;
  /** Starts are tried behind this build: in the same round, and in the next where too many were tried in vain. */
  let triedId = 0;
  /** The silent build that was asked after last. */
  let silentId = 0;

  const loop = startPollingLoop({
    intervalMs: options.intervalMs,
    maxBackoffMs: options.maxBackoffMs,
    poll,
    onError: (error, { failures, waitMs }) =>
      logger.warn(
        { err: error, failures, waitMs },
        'could not carry builds over to Temporal; will retry',
      ),
  });
  return {
    wake: loop.wake,
    async stop() {
      stopping.abort();
      await loop.stop();
    },
  };

  /** @throws AggregateError of the steps that failed; none of them keeps the others from their turn */
  async function poll(): Promise<void> {
    const failed: { step: string; error: unknown }[] = [];
    for (const step of [endUnstarted, dispatchInLanes, deliverCancellations, endSilentBuilds]) {
      if (stopping.signal.aborted) return;
      try {
        await step();
      } catch (error) {
        failed.push({ step: step.name, error });
      }
    }
    if (failed.length > 0)
      throw new AggregateError(
        failed.map(({ error }) => error),
        `failed: ${failed.map(({ step }) => step).join(', ')}`,
      );
  }

  /** Acts on each build. One that fails does not keep the others from it, until `MAX_FAILED` have. */
  async function forEach(
    builds: readonly Build[],
    act: (build: Build) => Promise<void>,
  ): Promise<void> {
    const failed: BuildFault[] = [];
    for (const build of builds) {
      stopping.signal.throwIfAborted();
      try {
        await act(build);
      } catch (error) {
        if (isTemporalUnavailable(error)) throw error;
        if (failed.push(new BuildFault(build, error)) === MAX_FAILED) break;
      }
    }
    throwFaults(failed);
  }

  /** Temporal was unavailable for too long. A workflow that it starts after all finds its build ended, and ends. */
  async function endUnstarted(): Promise<void> {
    const since = new Date(Date.now() - options.startMs);
    const message = `Temporal did not start its workflow within ${options.startMs / 1_000} s`;
    await forEach(await database.Build.unstartedSince(since, BATCH_SIZE), (build) =>
      end(build, failureOf('timed_out', message)),
    );
  }

  /** What cannot be started waits for the next round, which goes on behind it where that was too many. */
  async function dispatchInLanes(): Promise<void> {
    const failed: BuildFault[] = [];
    let hasSkipped = triedId > 0;
    while (failed.length < MAX_FAILED && !stopping.signal.aborted) {
      const lanes = await Promise.allSettled(Array.from({ length: LANES }, () => dispatch(failed)));
      const broken = lanes.find((lane) => lane.status === 'rejected');
      if (broken) throw broken.reason;
      if (lanes.some((lane) => lane.status === 'fulfilled' && lane.value === MAX_PER_LANE))
        continue;
      triedId = 0;
      if (!hasSkipped) break;
      hasSkipped = false;
    }
    throwFaults(failed);
  }

  /**
   * @param failed takes what could not be started
   * @returns how many it has started: fewer than its share where no more wait
   */
  async function dispatch(failed: BuildFault[]): Promise<number> {
    try {
      return await database.Build.dispatchOldest(MAX_PER_LANE, start, () => triedId);
    } catch (error) {
      if (!(error instanceof BuildFault)) throw error;
      const { build, cause } = error;
      if (cause instanceof StartRefusedError) {
        logger.error({ err: cause, buildId: build.id }, 'Temporal refuses the build');
        await end(build, failureOf('internal', `Temporal refuses the build: ${cause.message}`));
      } else failed.push(error);
      return MAX_PER_LANE;
    }
  }

  async function start(build: Build): Promise<void> {
    stopping.signal.throwIfAborted();
    try {
      const { workflowId, requestId, packagesToRetry } = build;
      await workflows.start({
        workflowId,
        requestId,
        request: build.toRequest(),
        ppa: acceptedPpa(build),
        packagesToRetry,
      });
      logger.info({ buildId: build.id, workflowId, requestId }, 'workflow started');
    } catch (error) {
      if (isTemporalUnavailable(error)) throw error;
      // Before its row is free for the other lanes.
      if (!(error instanceof StartRefusedError)) triedId = Math.max(triedId, build.id);
      throw new BuildFault(build, error);
    }
  }

  async function deliverCancellations(): Promise<void> {
    await forEach(await database.Build.undeliveredCancellations(BATCH_SIZE), async (build) => {
      const requestedBy = build.cancelRequestedBy ?? 'an unnamed caller';
      const outcome = await workflows.signalCancel(build.workflowId, requestedBy);
      if (outcome === 'ended')
        await end(
          build,
          failureOf(
            'cancelled',
            `cancelled by ${requestedBy}; its workflow had ended without a result`,
          ),
        );
      await build.cancellationDelivered();
      logger.info({ buildId: build.id, outcome }, 'cancellation delivered');
    });
  }

  /** A workflow that was terminated, or that a fault ended, reports nothing: its caller would wait for ever. */
  async function endSilentBuilds(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - sweptAtMs < options.sweepIntervalMs) return;
    const oldest = await database.Build.oldestUnfinished();
    if (oldest) {
      const ended = await workflows.endedWithoutResult(oldest);
      const unfinished = await database.Build.unfinishedOf(ended);
      await forEach(unfinished, (build) =>
        endUnlessRunning(build, 'was terminated, timed out or failed'),
      );
      await askAfterSilentBuilds(new Date(nowMs - options.silenceMs));
    }
    sweptAtMs = nowMs;
  }

  /** What Temporal has lost is in no list of what has ended. */
  async function askAfterSilentBuilds(since: Date): Promise<void> {
    const silent = await database.Build.silentSince(since, silentId, BATCH_SIZE);
    silentId = silent.length === BATCH_SIZE ? (silent.at(-1)?.id ?? 0) : 0;
    await forEach(silent, (build) => endUnlessRunning(build, 'has ended'));
  }

  /** A workflow that an operator has reset runs again under its id, behind a run that was terminated. */
  async function endUnlessRunning(build: Build, how: string): Promise<void> {
    const status = await workflows.status(build.workflowId);
    if (status === 'running') return;
    await end(build, withoutResult(status === 'ended' ? how : 'is unknown to Temporal'));
  }

  async function end(build: Build, failure: Failure): Promise<void> {
    const recorded = await database.ProgressEvent.record({
      buildId: build.id,
      attempt: build.attempt,
      key: FINAL_REPORT,
      message: 'FAILURE',
      failure,
    });
    if (recorded) logger.error({ buildId: build.id, failure }, 'build ended by the dispatcher');
  }
}

function withoutResult(what: string): Failure {
  return failureOf(
    'internal',
    `its workflow ${what} without a result; what it had uploaded may still be built in the PPA`,
  );
}

/** What kept one build from being carried over. */
class BuildFault extends Error {
  readonly build: Build;

  constructor(build: Build, cause: unknown) {
    super(`build ${build.id}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.build = build;
  }
}

/** @throws AggregateError of the faults, unless there are none */
function throwFaults(faults: readonly BuildFault[]): void {
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} builds failed`);
}
