import type { Connection } from '@temporalio/client';
import { TASK_QUEUE_TYPE, type WorkerQueue } from '../domain/service/worker-queue.ts';

/**
 * Temporal answers a poll after a minute at the latest, and keeps who polled for five: what is silent for longer is
 * gone.
 */
const POLLS_WITHIN_MS = 90_000;
/** Looks that are no further apart than this show how far Temporal's clock is from ours. */
const LOOKS_WITHIN_MS = 30_000;

/** A queue that is asked about. */
type Queue = Pick<WorkerQueue, 'name' | 'kind'>;
type Poller = WorkerQueue['pollers'][number];

/** How Temporal's clock differs from ours, as the latest poll that it told of has shown. */
export type TemporalClock = { polledMs: number; lookedMs: number; aheadMs: number };

/** Before anything is known of it. */
export const UNKNOWN_CLOCK: Readonly<TemporalClock> = {
  polledMs: Number.NaN,
  lookedMs: Number.NaN,
  aheadMs: 0,
};

/**
 * What Temporal knows of task queues.
 *
 * @param call makes a call to Temporal in limited time
 * @param clock what the last call has learned; this one changes it
 */
export async function describeQueues(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  queues: readonly Queue[],
  call: <T>(call: () => Promise<T>) => Promise<T>,
  clock: TemporalClock,
): Promise<WorkerQueue[]> {
  const described = await Promise.all(
    queues.map(async ({ name, kind }) => {
      const question = {
        namespace,
        taskQueue: { name },
        // The enum lives in a package that we do not depend on.
        taskQueueType: TASK_QUEUE_TYPE[kind],
        reportStats: true,
      };
      const { pollers, stats } = await call(() => workflowService.describeTaskQueue(question));
      return {
        name,
        kind,
        pollers: pollers.map(({ identity, lastAccessTime }) => ({
          identity: identity ?? '',
          last_access_at: lastAccessTime?.seconds
            ? new Date(Number(lastAccessTime.seconds) * 1_000).toISOString()
            : null,
        })),
        backlog: Number(stats?.approximateBacklogCount ?? 0),
        backlog_age_ms: ageOf(stats?.approximateBacklogAge),
      };
    }),
  );
  return markPolling(described, Date.now(), clock);
}

/** @param age google.protobuf.Duration */
function ageOf(
  age: { seconds?: unknown; nanos?: number | null } | null | undefined,
): number | null {
  const ms = Number(age?.seconds ?? 0) * 1_000 + Math.round((age?.nanos ?? 0) / 1_000_000);
  return ms > 0 ? ms : null;
}

/**
 * Says of each poller whether its process still polls. One whose slots of a queue are all taken asks for no more tasks
 * of that queue; it is alive as long as it polls another.
 *
 * @param clock changed where the pollers show more of it
 */
export function markPolling(
  queues: readonly (Queue & {
    backlog: number;
    backlog_age_ms: number | null;
    pollers: readonly Omit<Poller, 'polling'>[];
  })[],
  nowMs: number,
  clock: TemporalClock,
): WorkerQueue[] {
  const polls = queues
    .flatMap(({ pollers }) => pollers)
    .map(({ identity, last_access_at: at }) => ({ identity, atMs: Date.parse(at ?? '') }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
  learn(clock, Math.max(...polls.map(({ atMs }) => atMs)), nowMs);
  const sinceMs = nowMs + clock.aheadMs - POLLS_WITHIN_MS;
  const polling = new Set(
    polls.filter(({ atMs }) => atMs >= sinceMs).map(({ identity }) => identity),
  );
  return queues.map((queue) => ({
    ...queue,
    pollers: queue.pollers.map((poller) => ({ ...poller, polling: polling.has(poller.identity) })),
  }));
}

/**
 * Learns how far Temporal's clock is from ours. A poll that came since a look just before was made between the two: by
 * our clock, too, unless the clocks differ. One that is still to come by our clock shows it at once. Where the look
 * before was long ago, a fresh one shows that Temporal's clock is no longer ahead.
 *
 * @param polledMs when the latest poll was made, by Temporal's clock
 */
function learn(clock: TemporalClock, polledMs: number, nowMs: number): void {
  const { lookedMs } = clock;
  const isSoon = nowMs - lookedMs <= LOOKS_WITHIN_MS;
  const isNew = isSoon && polledMs > clock.polledMs;
  // The time of a poll is read in whole seconds.
  const isOfOurTime = polledMs > lookedMs - 1_000 && polledMs <= nowMs;
  if (isNew) clock.aheadMs = isOfOurTime ? 0 : polledMs - nowMs;
  else if (polledMs > nowMs + clock.aheadMs) clock.aheadMs = polledMs - nowMs;
  else if (!isSoon && clock.aheadMs > 0 && polledMs <= nowMs && nowMs - polledMs < POLLS_WITHIN_MS)
    clock.aheadMs = 0;
  clock.polledMs = polledMs;
  clock.lookedMs = nowMs;
}
