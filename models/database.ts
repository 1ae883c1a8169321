import { Sequelize } from 'sequelize';
import { Build } from './build.ts';
import { ProgressEvent } from './progress-event.ts';

/** An open database with its models. */
export type Database = {
  sequelize: Sequelize;
  Build: typeof Build;
  ProgressEvent: typeof ProgressEvent;
  close(): Promise<void>;
};

/**
 * Opens the database. Connections are made when they are needed, so that a process starts while PostgreSQL is down.
 *
 * @param url postgres://user:password@host:port/name
 * @param poolSize largest number of connections
 */
export function openDatabase(url: string, poolSize = 20): Database {
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    logging: false,
    pool: { max: poolSize, acquire: 10_000 },
  });
  for (const model of [Build, ProgressEvent]) model.initOn(sequelize);
  return { sequelize, Build, ProgressEvent, close: () => sequelize.close() };
}
