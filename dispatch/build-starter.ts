import { failureOf } from '../domain/failure.ts';
import { acceptedPpa } from '../domain/ppa.ts';
import type { Build } from '../models/build.ts';
import { BuildFault, MAX_FAILED, throwFaults } from './build-fault.ts';
import type { DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';
import { isTemporalUnavailable, StartRefusedError } from './temporal-errors.ts';

/** Builds that one dispatcher starts side by side: Temporal takes longer to answer than to start one more. */
const LANES = 8;
/** A lane starts at most so many before it waits for the others, some of which may have found nothing and stopped. */
const MAX_PER_LANE = 10;

/** Starts the workflows of accepted builds, the oldest first. */
export class BuildStarter {
  readonly #context: DispatchContext;
  /** Starts are tried behind this build: in the same round, and in the next where too many were tried in vain. */
  #triedId = 0;

  constructor(context: DispatchContext) {
    this.#context = context;
  }

  /**
   * Starts what waits, in lanes. What cannot be started waits for the next round, which goes on behind it where that was
   * too many.
   *
   * @throws AggregateError of what could not be started; at once what says that Temporal or the database is unavailable
   */
  async startAll(signal: AbortSignal): Promise<void> {
    // Mostly nothing waits. One statement finds that out, where each lane would take a transaction to.
    const { count } = await this.#context.database.Build.backlog();
    if (count === 0) {
      this.#triedId = 0;
      return;
    }
    const failed: BuildFault[] = [];
    let hasSkipped = this.#triedId > 0;
    while (failed.length < MAX_FAILED && !signal.aborted) {
      const lanes = await Promise.allSettled(
        Array.from({ length: LANES }, () => this.#runLane(failed, signal)),
      );
      const broken = lanes.find((lane) => lane.status === 'rejected');
      if (broken) throw broken.reason;
      if (lanes.some((lane) => lane.status === 'fulfilled' && lane.value === MAX_PER_LANE))
        continue;
      this.#triedId = 0;
      if (!hasSkipped) break;
      hasSkipped = false;
    }
    throwFaults(failed);
  }

  /**
   * @param failed takes what could not be started
   * @returns how many it has started: fewer than its share where no more wait
   */
  async #runLane(failed: BuildFault[], signal: AbortSignal): Promise<number> {
    const { database, logger } = this.#context;
    try {
      return await database.Build.dispatchOldest(
        MAX_PER_LANE,
        (build) => this.#start(build, signal),
        () => this.#triedId,
      );
    } catch (error) {
      if (!(error instanceof BuildFault)) throw error;
      const { build, cause } = error;
      if (cause instanceof StartRefusedError) {
        logger.error({ err: cause, buildId: build.id }, 'Temporal refuses the build');
        const message = `Temporal refuses the build: ${cause.message}`;
        await endBuild(this.#context, build, failureOf('internal', message));
      } else failed.push(error);
      return MAX_PER_LANE;
    }
  }

  async #start(build: Build, signal: AbortSignal): Promise<void> {
    const { workflows, logger } = this.#context;
    signal.throwIfAborted();
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
      if (!(error instanceof StartRefusedError)) this.#triedId = Math.max(this.#triedId, build.id);
      throw new BuildFault(build, error);
    }
  }
}
