import { SpanKind } from '@opentelemetry/api';
import { failureOf } from '../domain/failure.ts';
import { acceptedPpa } from '../domain/ppa.ts';
import type { Build, Postponed } from '../models/build.ts';
import type { DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';
import { nextTry, type RetryWaits } from './next-try.ts';
import { inSpan } from '../timing/spans.ts';
import { isTemporalUnavailable, StartRefusedError } from './temporal-errors.ts';

/** Builds that one dispatcher starts side by side: Temporal takes longer to answer than to start one more. */
const LANES = 8;
/** A lane starts at most so many before it waits for the others, some of which may have found nothing and stopped. */
const MAX_PER_LANE = 10;

/** Temporal will never take a build. */
class BuildRefused extends Error {
  readonly build: Build;

  constructor(build: Build, cause: StartRefusedError) {
    super(`Temporal refuses the build: ${cause.message}`, { cause });
    this.build = build;
  }
}

type StartContext = DispatchContext & { retry: RetryWaits };

/**
 * Starts the workflows of accepted builds in lanes, the oldest first. One that cannot be started is tried again by itself,
 * after a wait of its own.
 *
 * @param startMs time for a build to get its workflow; one that had none is ended instead
 * @throws what says that Temporal or the database is unavailable
 */
export async function startBuilds(
  context: StartContext,
  startMs: number,
  signal: AbortSignal,
): Promise<void> {
  // Mostly nothing waits. One statement finds that out, where each lane would take a transaction to.
  const { count, at: dueBy } = await context.database.Build.backlog();
  if (count === 0) return;
  // What is tried in vain waits for the next round at least, however long this one takes.
  const among = { since: new Date(dueBy.getTime() - startMs), dueBy };
  for (let isMore = true; isMore && !signal.aborted;) {
    const lanes = await Promise.allSettled(
      Array.from({ length: LANES }, () => runLane(context, among, signal)),
    );
    const broken = lanes.find((lane) => lane.status === 'rejected');
    if (broken) throw broken.reason;
    isMore = lanes.some((lane) => lane.status === 'fulfilled' && lane.value === MAX_PER_LANE);
  }
}

/** @returns how many it has started: fewer than its share where no more wait */
async function runLane(
  context: StartContext,
  among: { since: Date; dueBy: Date },
  signal: AbortSignal,
): Promise<number> {
  const { database, logger } = context;
  try {
    return await database.Build.dispatchOldest(
      MAX_PER_LANE,
      (build) => start(context, build, signal),
      among,
    );
  } catch (error) {
    if (!(error instanceof BuildRefused)) throw error;
    const { build, cause, message } = error;
    logger.error({ err: cause, buildId: build.id }, 'Temporal refuses the build');
    await endBuild(context, build, failureOf('internal', message));
    return MAX_PER_LANE;
  }
}

/** @throws BuildRefused where Temporal refuses the build; what says that it is unavailable */
async function start(
  context: StartContext,
  build: Build,
  signal: AbortSignal,
): Promise<Postponed | undefined> {
  const { workflows, logger } = context;
  signal.throwIfAborted();
  try {
    const { workflowId, requestId, packagesToRetry } = build;
    const attributes = { 'airline.build_id': build.id };
    const span = { kind: SpanKind.PRODUCER, attributes };
    await inSpan('start BuildSourceWorkflow', build.traceparent, span, () =>
      workflows.start({
        workflowId,
        requestId,
        request: build.toRequest(),
        ppa: acceptedPpa(build),
        packagesToRetry,
      }),
    );
    logger.info({ buildId: build.id, workflowId, requestId }, 'workflow started');
    return undefined;
  } catch (error) {
    if (isTemporalUnavailable(error)) throw error;
    if (error instanceof StartRefusedError) throw new BuildRefused(build, error);
    return nextTry(context, build, error);
  }
}
