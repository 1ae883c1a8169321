import { SpanKind } from '@opentelemetry/api';
import { failureOf } from '../domain/builds/failure.ts';
import type { Build, Postponed } from '../models/builds/build.ts';
import type { DispatchContext } from './dispatch-context.ts';
import { endBuild } from './end-build.ts';
import { nextTry, type RetryWaits } from './next-try.ts';
import { inSpan } from '../timing/spans.ts';
import { isTemporalUnavailable, StartRefusedError } from './temporal-errors.ts';

/** Builds that one dispatcher starts side by side: Temporal takes longer to answer than to start one more. */
const LANES = 8;
/** A lane starts at most so many before it waits for the others, some of which may have found nothing and stopped. */
const MAX_PER_LANE = 10;

/** In one go: cancellations and landings have their turn after that, also where workers take all that is started. */
const MAX_AT_ONCE = 100;

/** What no worker has taken for so long, perhaps because it is stuck, holds up no others. */
const UNTAKEN_MS = 5 * 60_000;

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
 * Starts the workflows of accepted builds in lanes, the oldest first, 100 at most. One that cannot be started is tried
 * again by itself, after a wait of its own.
 *
 * Temporal hands the tasks of all workflows out in the order in which they came. So only some builds may wait there for
 * a worker at once: what is under way would have to wait behind all of them. The others wait in the database.
 *
 * @param startMs time for a build to get its workflow; one that had none is ended instead
 * @param maxUntaken builds that may wait in Temporal for a worker; several dispatchers may start a few more
 * @returns whether more may be started at once
 * @throws what says that Temporal or the database is unavailable
 */
export async function startBuilds(
  context: StartContext,
  { startMs, maxUntaken }: { startMs: number; maxUntaken: number },
  signal: AbortSignal,
): Promise<boolean> {
  // Mostly nothing waits. One statement finds that out, where each lane would take a transaction to.
  const { count: waiting, at: dueBy } = await context.database.Build.backlog();
  if (waiting === 0) return false;
  // What is tried in vain waits for the next round at least, however long this one takes.
  const among = { since: new Date(dueBy.getTime() - startMs), dueBy };
  for (let left = MAX_AT_ONCE; left > 0;) {
    if (signal.aborted) return false;
    const untaken = await context.database.Build.countUntaken(UNTAKEN_MS, maxUntaken);
    const room = Math.min(maxUntaken - untaken, left);
    if (room <= 0) return false;
    const count = Math.min(LANES, room);
    const share = Math.min(MAX_PER_LANE, Math.floor(room / count));
    const lanes = await Promise.allSettled(
      Array.from({ length: count }, () => runLane(context, share, among, signal)),
    );
    const broken = lanes.find((lane) => lane.status === 'rejected');
    if (broken) throw broken.reason;
    const started = lanes.flatMap((lane) => (lane.status === 'fulfilled' ? [lane.value] : []));
    if (!started.includes(share)) return false;
    left -= started.reduce((sum, each) => sum + each, 0);
  }
  return true;
}

/** @returns how many it has started: fewer than its share where no more wait */
async function runLane(
  context: StartContext,
  share: number,
  among: { since: Date; dueBy: Date },
  signal: AbortSignal,
): Promise<number> {
  const { database, logger } = context;
  try {
    return await database.Build.dispatchOldest(
      share,
      (build) => start(context, build, signal),
      among,
    );
  } catch (error) {
    if (!(error instanceof BuildRefused)) throw error;
    const { build, cause, message } = error;
    logger.error({ err: cause, buildId: build.id }, 'Temporal refuses the build');
    await endBuild(context, build, failureOf('internal', message));
    return share;
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
        ppa: build.acceptedPpa,
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
