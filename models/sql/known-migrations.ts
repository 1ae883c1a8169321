import { readdir } from 'node:fs/promises';
import type { Sequelize } from 'sequelize';
import { query } from './query.ts';

/** The names of the migrations in a folder, in their order. */
export async function migrationNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).toSorted();
}

/**
 * Makes sure that a database has every migration that this code knows. It may have more, of later code.
 *
 * @throws the name of the first that it lacks; what PostgreSQL says where it does not answer, or was never migrated
 */
export async function assertMigrated(sequelize: Sequelize): Promise<void> {
  const applied = await query<{ name: string }>(sequelize, 'SELECT name FROM migration');
  const names = new Set(applied.map(({ name }) => name));
  const missing = (await migrationNames('migrations')).find((name) => !names.has(name));
  if (missing !== undefined) throw new Error(`The database lacks the migration ${missing}.`);
}
