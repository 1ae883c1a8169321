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
};

/** Whether any worker takes tasks of a queue. */
export function isPolled({ pollers }: { pollers: readonly { polling: boolean }[] }): boolean {
  return pollers.some(({ polling }) => polling);
}
