import { openDatabase, type Database } from '../../models/database.ts';
import { createTestDatabase } from '../support/database.ts';

/** Opens a database for the tests of a file. */
export function useDatabase(poolSize = 10): { readonly now: Database; readonly url: string } {
  let database: Database;
  let databaseUrl: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url: databaseUrl, drop } = await createTestDatabase());
    database = openDatabase(databaseUrl, poolSize);
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });
  return {
    get now() {
      return database;
    },
    get url() {
      return databaseUrl;
    },
  };
}
