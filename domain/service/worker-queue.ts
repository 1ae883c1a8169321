/** A task queue of the workers, for one kind of tasks. */
export type WorkerQueue = {
  name: string;
  kind: 'workflow' | 'activity';
  pollers: {
    identity: string;
    last_access_at: string | null;
    /** Whether its process has polled lately: one that is frozen or gone stays listed for minutes. */
    polling: boolean;
  }[];
  backlog: number;
  /** How long the task at its head has waited, in ms; null where none waits, or Temporal does not say. */
  backlog_age_ms: number | null;
};

/** The kinds as Temporal numbers them (temporal.api.enums.v1.TaskQueueType). */
export const TASK_QUEUE_TYPE = { workflow: 1, activity: 2 } as const;

/** Whether tasks wait in a queue because its workers can take no more: another worker helps. */
export function isFull({
  slots,
  backlog,
}: {
  slots: { used: number; total: number } | null;
  backlog: number;
}): boolean {
  return slots !== null && slots.used >= slots.total && backlog > 0;
}

/** Whether any worker takes tasks of a queue. */
export function isPolled({ pollers }: { pollers: readonly { polling: boolean }[] }): boolean {
  return pollers.some(({ polling }) => polling);
}
