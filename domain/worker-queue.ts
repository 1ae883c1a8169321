/** A task queue of the workers, for one kind of tasks. */
export type WorkerQueue = {
  name: string;
  kind: 'workflow' | 'activity';
  pollers: { identity: string; last_access_at: string | null }[];
  backlog: number;
};
