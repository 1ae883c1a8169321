import type { Connection } from '@temporalio/client';
import { TASK_QUEUE_TYPE, type WorkerQueue } from '../domain/service/worker-queue.ts';

/**
 * Temporal answers a poll after a minute at the latest, and keeps who polled for five: what is silent for longer is
 * gone.
 */
const POLLS_WITHIN_MS = 90_000;

/** A queue that is asked about. */
type Queue = Pick<WorkerQueue, 'name' | 'kind'>;
type Poller = WorkerQueue['pollers'][number];

/**
 * What Temporal knows of task queues.
 *
 * @param call makes a call to Temporal in limited time
 */
export async function describeQueues(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  queues: readonly Queue[],
  call: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<WorkerQueue[]> {
  const described = await Promise.all(
    queues.map(async ({ name, kind }) => {
      const question = {
        namespace,
        taskQueue: { name },
        taskQueueType: TASK_QUEUE_TYPE[kind],
        reportStats: true,
      };
      const { pollers, stats } = await call(() =>
        // The enum lives in a package that we do not depend on.
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
        workflowService.describeTaskQueue(question),
      );
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
  return markPolling(described, Date.now());
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
 */
export function markPolling(
  queues: readonly (Queue & {
    backlog: number;
    backlog_age_ms: number | null;
    pollers: readonly Omit<Poller, 'polling'>[];
  })[],
  nowMs: number,
): WorkerQueue[] {
  const polling = new Set(
    queues
      .flatMap(({ pollers }) => pollers)
      .filter(({ last_access_at: at }) => nowMs - Date.parse(at ?? '') <= POLLS_WITHIN_MS)
      .map(({ identity }) => identity),
  );
  return queues.map((queue) => ({
    ...queue,
    pollers: queue.pollers.map((poller) => ({ ...poller, polling: polling.has(poller.identity) })),
  }));
}
