import type { Connection } from '@temporalio/client';
import { BUILD_TASK_QUEUE, OWN_QUEUES } from '../domain/builds/build-workflow.ts';
import { isTestTaskQueue } from '../domain/testing/test-run.ts';
import {
  MAX_WORKERS,
  WORKER_STATES,
  type WorkerProcess,
  type WorkerSlots,
} from '../domain/service/worker-process.ts';
import { sideBySide } from '../timing/side-by-side.ts';
import { isNotFound } from './temporal-errors.ts';

/** A process has a Temporal worker for each of its queues, and Temporal tells of one at a time. */
const LANES = 10;
/** What a worker that was given no version tells instead. */
const OF_SDK = '@temporalio/';
/** Workers report every 10 s (main/config/worker-runtime.ts). */
const REPORTS_WITHIN_MS = 35_000;

type WorkflowService = Pick<Connection['workflowService'], 'listWorkers' | 'describeWorker'>;
type Described = Awaited<ReturnType<WorkflowService['describeWorker']>>;
/** What a Temporal worker reports: temporal.api.worker.v1.WorkerHeartbeat. */
export type Report = NonNullable<NonNullable<Described['workerInfo']>['workerHeartbeat']>;

/**
 * What the processes that poll our queues report of themselves.
 *
 * @param call makes a call to Temporal in limited time
 * @param clocks what the last call has learned; this one changes it
 * @throws what Temporal answers where it cannot tell, as servers before 1.29 cannot
 */
export async function describeWorkers(
  { workflowService }: { workflowService: WorkflowService },
  namespace: string,
  call: <T>(call: () => Promise<T>) => Promise<T>,
  clocks: WorkerClocks,
): Promise<WorkerProcess[]> {
  const { workers } = await call(() =>
    workflowService.listWorkers({ namespace, pageSize: MAX_WORKERS }),
  );
  const keys = workers
    .filter(({ taskQueue }) => isOurs(taskQueue ?? ''))
    .flatMap(({ workerInstanceKey: key }) => key ?? []);
  const reports = await sideBySide(keys.slice(0, MAX_WORKERS), LANES, async (key) => {
    try {
      const request = { namespace, workerInstanceKey: key };
      const { workerInfo } = await call(() => workflowService.describeWorker(request));
      return workerInfo?.workerHeartbeat ?? undefined;
    } catch (error) {
      // It has gone since it was listed.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  });
  return processesOf(
    reports.flatMap((report) => report ?? []),
    Date.now(),
    clocks,
  );
}

/** How the clocks of processes differ from ours, as their reports have shown: by identity. */
export type WorkerClocks = Map<string, { reportedMs: number; polledMs: number; aheadMs: number }>;

/** Others may have workers in the same namespace. */
function isOurs(queue: string): boolean {
  const own: readonly string[] = [BUILD_TASK_QUEUE, ...Object.values(OWN_QUEUES)];
  return own.includes(queue) || isTestTaskQueue(queue);
}

/** Puts together what the Temporal workers of each process report, in the order of their names. */
export function processesOf(
  reports: readonly Report[],
  nowMs: number,
  clocks: WorkerClocks,
): WorkerProcess[] {
  const identities = new Set(reports.map(({ workerIdentity }) => workerIdentity ?? ''));
  for (const identity of clocks.keys()) if (!identities.has(identity)) clocks.delete(identity);
  return [...identities]
    .map((identity) => {
      const own = reports.filter(({ workerIdentity }) => (workerIdentity ?? '') === identity);
      const times = own.map(({ heartbeatTime }) => Number(heartbeatTime?.seconds ?? 0) * 1_000);
      const reportedMs = Math.max(...times);
      const [first] = own;
      const version = first?.deploymentVersion?.buildId ?? '';
      return {
        identity,
        host: first?.hostInfo?.hostName ?? '',
        version: version === '' || version.startsWith(OF_SDK) ? null : version,
        state: own.map(({ status }) => WORKER_STATES[Number(status)]).find(Boolean) ?? 'running',
        started_at: isoOf(first?.startTime?.seconds),
        reported_at: isoOf(reportedMs / 1_000),
        reporting: ageOf(identity, reportedMs, nowMs, clocks) <= REPORTS_WITHIN_MS,
        slots: own
          .flatMap((report) => [...slotsOf(report, 'workflow'), ...slotsOf(report, 'activity')])
          .toSorted((a, b) => a.queue.localeCompare(b.queue) || b.kind.localeCompare(a.kind)),
      } satisfies WorkerProcess;
    })
    .toSorted((a, b) => a.identity.localeCompare(b.identity));
}

/**
 * How old the latest report of a process is, in ms. Its time is by the clock of the process, which may differ from
 * ours: a report that came since a poll just before is new, and so shows by how much.
 */
function ageOf(identity: string, reportedMs: number, nowMs: number, clocks: WorkerClocks): number {
  const before = clocks.get(identity);
  const isNew =
    before && reportedMs !== before.reportedMs && nowMs - before.polledMs <= REPORTS_WITHIN_MS;
  const aheadMs = isNew ? reportedMs - nowMs : (before?.aheadMs ?? 0);
  clocks.set(identity, { reportedMs, polledMs: nowMs, aheadMs });
  return nowMs - (reportedMs - aheadMs);
}

/**
 * A worker that has no slots of a kind takes no tasks of it. Of slots that a process gives by a rule of its own, as a
 * tester does, the SDK does not say how many are free: each of them asks for a task, and it says how many ask.
 */
function slotsOf(report: Report, kind: WorkerSlots['kind']): WorkerSlots[] {
  const { taskQueue } = report;
  const slots = report[`${kind}TaskSlotsInfo`];
  const asking = report[`${kind}PollerInfo`]?.currentPollers ?? 0;
  const isOwnRule = slots?.slotSupplierKind === 'Custom';
  const free = isOwnRule ? asking : (slots?.currentAvailableSlots ?? 0);
  const used = slots?.currentUsedSlots ?? 0;
  const total = used + free;
  if (total <= 0) return [];
  return [
    {
      queue: taskQueue ?? '',
      kind,
      used,
      total,
      processed: slots?.totalProcessedTasks ?? 0,
      failed: slots?.totalFailedTasks ?? 0,
    },
  ];
}

function isoOf(seconds: unknown): string | null {
  const ms = Number(seconds) * 1_000;
  return ms > 0 ? new Date(ms).toISOString() : null;
}
