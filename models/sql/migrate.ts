import { readdir, readFile } from 'node:fs/promises';
import { Sequelize } from 'sequelize';
import { SequelizeStorage, Umzug } from 'umzug';

// Any constant does, so long as every process that migrates this database uses the same.
const MIGRATION_LOCK = 7_233_2014;

/**
 * Applies every migration of `migrations/` that the database does not have yet, each in its own transaction.
 * Safe to run from several processes at once.
 *
 * @param databaseUrl postgres://user:password@host:port/name
 * @param folder where the numbered `.sql` files are
 * @returns the names of the migrations applied now
 */
export async function migrate(databaseUrl: string, folder = 'migrations'): Promise<string[]> {
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
    const umzug = new Umzug({
      migrations: names.map((name) => ({
        name,
        up: async () => {
          const sql = await readFile(`${folder}/${name}`, 'utf8');
          await sequelize.query(`BEGIN;\n${sql}\nCOMMIT;`);
        },
      })),
      storage: new SequelizeStorage({ sequelize, tableName: 'migration' }),
      logger: undefined,
    });
    return (await umzug.up()).map(({ name }) => name);
  } finally {
    await sequelize.close();
  }
}
