import { Client } from 'pg';
import type { BuildRecord } from '../../domain/builds/build-state.ts';

/** What the rows of builds say, beside the API that is measured. */
export type BuildRows = {
  lastId: () => Promise<number>;
  /** Builds after an id: how many wait for their workflow, and when the last one got it. */
  dispatchedAfter: (id: number) => Promise<{ waiting: number; lastAtMs: number }>;
  /** Builds of a queue that are in a state. */
  count: (queue: string, state: 'building' | 'completed') => Promise<number>;
  /** Messages that all builds of a queue have recorded. */
  messages: (queue: string) => Promise<number>;
  /** Calls of the PPA's web service that workers have made so far. */
  calls: () => Promise<number>;
  /** The first record that the PPA has of a build that is watched; undefined where it has none yet. */
  recordOf: (id: number) => Promise<BuildRecord | undefined>;
  /** Builds that are watched in their PPAs. */
  watched: () => Promise<number>;
  /** Watched builds whose workflows were told where they are. */
  told: () => Promise<number>;
  close: () => Promise<void>;
};

/** Opens one connection of our own. */
export async function openBuildRows(databaseUrl: string): Promise<BuildRows> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const row = async <T extends object>(sql: string, values: unknown[] = []) =>
    (await client.query<T>(sql, values)).rows[0] as T;
  const number = async (sql: string, ...values: unknown[]) =>
    (await row<{ number: number }>(`SELECT (${sql})::integer AS number`, values)).number;
  return {
    lastId: () => number('SELECT coalesce(max(id), 0) FROM build'),
    dispatchedAfter: (id) =>
      row(
        `SELECT count(*) FILTER (WHERE dispatched_at IS NULL)::integer AS waiting,
                extract(epoch FROM max(dispatched_at))::float8 * 1000 AS "lastAtMs"
         FROM build WHERE id > $1`,
        [id],
      ),
    count: (queue, state) =>
      number('SELECT count(*) FROM build WHERE progress_trigger = $1 AND state = $2', queue, state),
    messages: (queue) =>
      number(
        `SELECT count(*) FROM progress_event
         WHERE build_id IN (SELECT id FROM build WHERE progress_trigger = $1)`,
        queue,
      ),
    calls: () => number('SELECT calls FROM call_budget'),
    recordOf: async (id) => {
      const sql = 'SELECT (SELECT records -> 0 FROM watched_build WHERE build_id = $1) AS record';
      return (await row<{ record: BuildRecord | null }>(sql, [id])).record ?? undefined;
    },
    watched: () => number('SELECT count(*) FROM watched_build'),
    told: () => number('SELECT count(*) FROM watched_build WHERE told_phase IS NOT NULL'),
    close: () => client.end(),
  };
}
