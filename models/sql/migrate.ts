import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Sequelize } from 'sequelize';
import { SequelizeStorage, Umzug } from 'umzug';

// Any constant does, so long as every process that migrates this database uses the same.
const MIGRATION_LOCK = 7_233_2014;

/** A migration that waits for a table holds up everybody who comes after it, so it gives way and tries again. */
const LOCK_TIMEOUT_MS = 5_000;
const MAX_TRIES = 24;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies every migration of `migrations/` that the database does not have yet, each in a transaction of its own with
 * the record of it. Safe to run from several processes at once.
 *
 * @param databaseUrl postgres://user:password@host:port/name
 * @param folder where the numbered `.sql` files are
 * @param locks how long a migration waits for a table, and how often it tries
 * @returns the names of the migrations applied now
 * @throws what PostgreSQL says of one that fails; those before it are applied
 */
export async function migrate(
  databaseUrl: string,
  folder = 'migrations',
  locks = { timeoutMs: LOCK_TIMEOUT_MS, maxTries: MAX_TRIES },
): Promise<string[]> {
  // One connection, because the advisory lock belongs to its session.
  const sequelize = new Sequelize(databaseUrl, {
    dialect: 'postgres',
    logging: false,
    pool: { max: 1 },
  });
  try {
    await sequelize.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const names = (await readdir(folder))
      .filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name))
      .toSorted();
    const records = new SequelizeStorage({ sequelize, tableName: 'migration' });
    const umzug = new Umzug({
      migrations: names.map((name) => ({
        name,
        up: async () => {
          const sql = await readFile(`${folder}/${name}`, 'utf8');
          await apply(sequelize, name, sql, locks);
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
      const isLocked = error instanceof DatabaseError && codeOf(error) === LOCK_NOT_AVAILABLE;
      if (!isLocked || tries >= maxTries) throw error;
      await sleep(timeoutMs);
    }
}

function codeOf({ original }: DatabaseError): unknown {
  return 'code' in original ? original.code : undefined;
}
