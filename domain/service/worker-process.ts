/** What a process can take of one kind of tasks of one queue, and what it has. */
export type WorkerSlots = {
  queue: string;
  kind: 'workflow' | 'activity';
  used: number;
  total: number;
  /** Tasks that it has done since it started, those that failed among them. */
  processed: number;
  failed: number;
};

/** A process of workers, as its own reports to Temporal tell of it. */
export type WorkerProcess = {
  /** The name that it gives itself; pollers of queues have the same. */
  identity: string;
  host: string;
  /** The version of Airline, or the one that AIRLINE_WORKER_BUILD_ID gives it; null where it tells none. */
  version: string | null;
  state: 'running' | 'stopping' | 'stopped';
  started_at: string | null;
  reported_at: string | null;
  /** Whether it has reported lately. One that has not is frozen, cut off, or has died. */
  reporting: boolean;
  slots: WorkerSlots[];
};

/** Most workers that Temporal is asked for at once. */
export const MAX_WORKERS = 300;
/** The states as Temporal numbers them (temporal.api.enums.v1.WorkerStatus); all other numbers are of one that runs. */
export const WORKER_STATES: Readonly<Record<number, WorkerProcess['state']>> = {
  2: 'stopping',
  3: 'stopped',
};

/** The slots of a queue, of all processes that report; null where none does. */
export function slotsOfQueue(
  workers: readonly WorkerProcess[],
  { name, kind }: { name: string; kind: WorkerSlots['kind'] },
): { used: number; total: number } | null {
  const slots = workers
    .filter(({ reporting, state }) => reporting && state === 'running')
    .flatMap((worker) => worker.slots)
    .filter((one) => one.queue === name && one.kind === kind);
  if (slots.length === 0) return null;
  const sum = (of: 'used' | 'total') => slots.reduce((total, one) => total + one[of], 0);
  return { used: sum('used'), total: sum('total') };
}
