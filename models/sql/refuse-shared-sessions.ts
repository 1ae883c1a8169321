import { Client } from 'pg';
import { ConnectionError, type Sequelize } from 'sequelize';
import { AirlineError, ERRORS } from '../../domain/errors.ts';

/** Where others are at work, two connections may miss each other's session; hardly ever so many times in a row. */
const TRIES = 20;
const ANSWER_MS = 2_000;

/**
 * Gives up each new connection where connections share sessions of PostgreSQL, as behind PgBouncer in transaction mode:
 * locks, settings and prepared statements of one would be another's. Whoever wants a connection gets a ConnectionError,
 * caused by AirlineError `transaction_pooling`. Once a connection is found to have a session of its own, none is asked
 * any more.
 *
 * @param url of the database of `sequelize`
 */
export function refuseSharedSessions(sequelize: Sequelize, url: string): void {
  let isOver = false;
  let trial: Promise<boolean> | undefined;

  sequelize.addHook('afterConnect', async (connected) => {
    if (isOver) return;
    const client = connected as Client & { processID?: number };
    const own = await processOf(client);
    // A pooler makes up the process that it names as the connection begins.
    if (own !== client.processID) {
      // Those that are made at once wait for the trial of one: it takes another connection of the pooler.
      trial ??= sharesProcess(client, own, url);
      if (await trial) {
        trial = undefined;
        await client.end();
        const message = `Connections share sessions of PostgreSQL. ${ERRORS.transaction_pooling.hint}`;
        throw new ConnectionError(new AirlineError('transaction_pooling', message));
      }
    }
    isOver = true;
  });
}

/**
 * Tries out whether another connection gets the process of this one, or this one another process.
 *
 * @returns false, too, where that cannot be told, as another connection does not answer in time. One that waits for
 * this connection to be closed has a session of its own
 */
async function sharesProcess(
  client: Client,
  own: number | undefined,
  url: string,
): Promise<boolean> {
  const options = { connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS };
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      // Whoever asks it is told of its errors, too.
      const other = new Client({ connectionString: url, ...options }).on('error', () => undefined);
      await other.connect();
      try {
        if ((await processOf(other)) === own) return true;
      } finally {
        await other.end();
      }
      // Twice: a pooler of two sessions may give them in turn.
      for (let asks = 0; asks < 2; asks += 1) if ((await processOf(client)) !== own) return true;
    }
  } catch {
    // It cannot be told.
  }
  return false;
}

async function processOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
