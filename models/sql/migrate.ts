import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Sequelize } from 'sequelize';
import { SequelizeStorage, Umzug } from 'umzug';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { isDeadlock } from './database-errors.ts';
import { migrationNames } from './known-migrations.ts';
import { query } from './query.ts';
import { refuseSharedSessions } from './refuse-shared-sessions.ts';

/** The connection's name in `pg_stat_activity`. */
const MIGRATING_CONNECTION = 'airline migrations';
/** A migration that waits for a table holds up everybody who comes after it, so it gives way and tries again. */
const LOCK_TIMEOUT_MS = 5_000;
const MAX_TRIES = 24;
/** Another process may migrate for minutes: it waits for tables, and indexes of large ones take their time. */
const TURN_MS = 15 * 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies every migration of `migrations/` that the database does not have yet, each in a transaction of its own with
 * the record of it. Safe to run from several processes at once.
 *
 * @param databaseUrl postgres://user:password@host:port/name
 * @param folder where the numbered `.sql` files are
 * @param limits how long a migration waits for a table, how often it tries, and how long another process that migrates
 * is waited for
 * @returns the names of the migrations applied now
 * @throws what PostgreSQL says of one that fails; those before it are applied. Who the other process is that takes too
 * long. ConnectionError where the connection shares its session with others
 */
export async function migrate(
  databaseUrl: string,
  folder = 'migrations',
  limits = { timeoutMs: LOCK_TIMEOUT_MS, maxTries: MAX_TRIES, turnMs: TURN_MS },
): Promise<string[]> {
  // One connection, because the advisory lock belongs to its session.
  const sequelize = new Sequelize(databaseUrl, {
    dialect: 'postgres',
    logging: false,
    pool: { max: 1 },
    dialectOptions: { application_name: MIGRATING_CONNECTION },
  });
  refuseSharedSessions(sequelize, databaseUrl);
  try {
    await takeTurn(sequelize, limits.turnMs);
    const names = await migrationNames(folder);
    const records = new SequelizeStorage({ sequelize, tableName: 'migration' });
    const umzug = new Umzug({
      migrations: names.map((name) => ({
        name,
        up: async () => {
          const sql = await readFile(`${folder}/${name}`, 'utf8');
          await apply(sequelize, name, sql, limits);
        },
      })),
      storage: { executed: () => records.executed(), logMigration, unlogMigration },
      logger: undefined,
    });
    return (await umzug.up()).map(({ name }) => name);
  } finally {
    await sequelize.close();
  }
}

/** Nothing is left to record afterwards. */
async function logMigration(): Promise<void> {}

async function unlogMigration(): Promise<never> {
  throw new Error('Migrations only go forward.');
}

/** @throws who has it, where it takes longer */
async function takeTurn(sequelize: Sequelize, turnMs: number): Promise<void> {
  await query(sequelize, `SET lock_timeout = ${turnMs}`);
  try {
    await query(sequelize, 'SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
  } catch (error) {
    throw isLockTimeout(error) ? await takenTurn(sequelize, turnMs) : error;
  }
  await query(sequelize, 'RESET lock_timeout');
}

/** An error that says who migrates the database, and what to do about it. */
async function takenTurn(sequelize: Sequelize, turnMs: number): Promise<Error> {
  const [holder] = await query<{ pid: number; name: string; host: string; since: Date }>(
    sequelize,
    `SELECT pid, application_name AS name, coalesce(host(client_addr), 'a local socket') AS host, backend_start AS since
     FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND objsubid = 1 AND classid = 0 AND objid = $1 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [ADVISORY_LOCKS.migration],
  );
  const waited = `after ${turnMs / 1_000} s`;
  if (!holder)
    return new Error(`Another process was migrating this database ${waited}. Migrate again.`);
  const { pid, name, host, since } = holder;
  return new Error(
    `Another process has been migrating this database since ${since.toISOString()}: "${name}" from ${host}. ` +
      `It had not ended ${waited}. Wait for it and migrate again. If it hangs, end it with SELECT pg_terminate_backend(${pid}).`,
  );
}

async function apply(
  sequelize: Sequelize,
  name: string,
  sql: string,
  { timeoutMs, maxTries }: { timeoutMs: number; maxTries: number },
): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      // A process that dies leaves both or neither: what was applied and not recorded could never be applied again.
      await sequelize.query(
        `BEGIN;\nSET LOCAL lock_timeout = ${timeoutMs};\n${sql}\n;INSERT INTO migration (name) VALUES ('${name}');\nCOMMIT;`,
      );
      return;
    } catch (error) {
      await sequelize.query('ROLLBACK');
      const hadToGiveWay = isLockTimeout(error) || isDeadlock(error);
      if (!hadToGiveWay || tries >= maxTries) throw error;
      await sleep(timeoutMs);
    }
}

function isLockTimeout(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    'code' in error.original &&
    error.original.code === LOCK_NOT_AVAILABLE
  );
}
