import { Client } from 'pg';

/** What the rows of builds say, beside the API that is measured. */
export type BuildRows = {
  lastId: () => Promise<number>;
  /** Builds after an id: how many wait for their workflow, and when the last one got it. */
  dispatchedAfter: (id: number) => Promise<{ waiting: number; lastAtMs: number }>;
  /** Builds of a queue in each state. */
  states: (queue: string) => Promise<Record<string, number>>;
  /** Messages that all builds of a queue have recorded, and those that wait for the broker. */
  messages: (queue: string) => Promise<{ recorded: number; unpublished: number }>;
  workflowIds: (queue: string) => Promise<{ buildId: number; workflowId: string }[]>;
  close: () => Promise<void>;
};

/** Opens one connection of our own. */
export async function openBuildRows(
  databaseUrl: string,
  workflowIdOf: (row: { id: number; ticketId: number; sourcePackages: string[] }) => string,
): Promise<BuildRows> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const one = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row> =>
    (await client.query<Row>(sql, values)).rows[0] as Row;
  return {
    lastId: async () =>
      (await one<{ id: number }>('SELECT coalesce(max(id), 0)::integer AS id FROM build')).id,
    dispatchedAfter: (id) =>
      one(
        `SELECT count(*) FILTER (WHERE dispatched_at IS NULL)::integer AS waiting,
                extract(epoch FROM max(dispatched_at))::float8 * 1000 AS "lastAtMs"
         FROM build WHERE id > $1`,
        [id],
      ),
    states: async (queue) => {
      const { rows } = await client.query<{ state: string; count: number }>(
        'SELECT state, count(*)::integer AS count FROM build WHERE progress_trigger = $1 GROUP BY state',
        [queue],
      );
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    messages: (queue) =>
      one(
        `SELECT count(*)::integer AS recorded,
                count(*) FILTER (WHERE published_at IS NULL)::integer AS unpublished
         FROM progress_event WHERE build_id IN (SELECT id FROM build WHERE progress_trigger = $1)`,
        [queue],
      ),
    workflowIds: async (queue) => {
      const { rows } = await client.query<{
        id: number;
        ticketId: number;
        sourcePackages: string[];
      }>(
        `SELECT id, ticket_id AS "ticketId", source_packages AS "sourcePackages"
         FROM build WHERE progress_trigger = $1 ORDER BY id`,
        [queue],
      );
      return rows.map((row) => ({ buildId: row.id, workflowId: workflowIdOf(row) }));
    },
    close: () => client.end(),
  };
}
