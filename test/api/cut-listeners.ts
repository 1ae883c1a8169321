import { Client } from 'pg';
import { FEED_CONNECTION } from '../../models/events/progress-feed.ts';

/** Cuts the connections that listen, as a restart of PostgreSQL would. */
export async function cutListeners(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [FEED_CONNECTION],
    );
    expect(rowCount).toBe(1);
  } finally {
    await client.end();
  }
}
