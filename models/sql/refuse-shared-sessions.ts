import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { ConnectionError, type Sequelize } from 'sequelize';
import { AirlineError, ERRORS } from '../../domain/errors.ts';

/** Where others are at work, two connections may miss each other's session; hardly ever so many times in a row. */
const TRIES = 20;
const ANSWER_MS = 2_000;

type Connection = Pick<Client, 'query' | 'end'>;

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
    const client = connected as Client;
    if (!(await isDirect(client))) {
      // Those that are made at once wait for the trial of one: it takes another connection of the pooler.
      trial ??= shareSessions(client, () => connect(url));
      if (await trial) {
        trial = undefined;
        await client.end();
        throw new ConnectionError(
          new AirlineError(
            'transaction_pooling',
            `Connections share sessions of PostgreSQL. ${ERRORS.transaction_pooling.hint}`,
          ),
        );
      }
    }
    isOver = true;
  });
}

/** A pooler makes up the process that it names as the connection begins. */
async function isDirect(client: Client): Promise<boolean> {
  const { processID } = client as Client & { processID?: number };
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid === processID;
}

/**
 * Tries out whether connections share sessions: each marks its own, and the mark of the first has to stay.
 *
 * @returns false, too, where that cannot be told, as another connection does not answer in time. One that waits for
 * this connection to be closed has a session of its own
 */
async function shareSessions(
  client: Connection,
  openOther: () => Promise<Connection>,
): Promise<boolean> {
  try {
    const mark = await setMark(client);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const other = await openOther();
      try {
        await setMark(other);
      } finally {
        await other.end();
      }
      // Twice: a pooler of two sessions may give them in turn.
      for (let reads = 0; reads < 2; reads += 1) if ((await readMark(client)) !== mark) return true;
    }
    return false;
  } catch {
    return false;
  }
}

async function setMark(client: Connection): Promise<string> {
  const mark = randomUUID();
  await client.query(`SELECT set_config('airline.session', '${mark}', false)`);
  return mark;
}

async function readMark(client: Connection): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    "SELECT current_setting('airline.session', true) AS mark",
  );
  return rows[0]?.mark ?? null;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // Whoever asks it is told, too.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
