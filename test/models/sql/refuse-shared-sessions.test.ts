import { ConnectionError } from 'sequelize';
import { openDatabase, type Database } from '../../../models/database.ts';
import { isDatabaseUnavailable } from '../../../models/sql/database-errors.ts';
import { migrate } from '../../../models/sql/migrate.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startSessionPooler } from '../../support/session-pooler.ts';

describe('connections by way of a pooler', () => {
  const left: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const leave of left.splice(0).toReversed()) await leave();
  });

  async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
    const created = await createTestDatabase();
    left.push(created.drop);
    const pooler = await startSessionPooler(created.url, mode);
    left.push(() => pooler.stop());
    return pooler.url;
  }

  function open(url: string, poolSize: number): Database {
    const database = openDatabase(url, poolSize);
    left.push(() => database.close());
    return database;
  }

  it('are refused where they share a session, and the error says what to set', async () => {
    const database = open(await startPooler('transaction'), 1);

    for (let tries = 0; tries < 2; tries += 1) {
      const refusal: unknown = await database.Ticket.count().catch((error: unknown) => error);

      expect(refusal).toBeInstanceOf(ConnectionError);
      expect(refusal).toMatchObject({
        message: expect.stringContaining('Set pool_mode = session in PgBouncer'),
        parent: { code: 'transaction_pooling' },
      });
      expect(isDatabaseUnavailable(refusal)).toBe(true);
    }
  });

  it('migrate nothing where they share a session', async () => {
    await expect(migrate(await startPooler('transaction'))).rejects.toMatchObject({
      parent: { code: 'transaction_pooling' },
    });
  });

  it('are taken where each has a session of its own', async () => {
    const url = await startPooler('session');
    const database = open(url, 3);

    const counts = await Promise.all([1, 2, 3].map(() => database.Ticket.count()));

    expect(counts).toEqual([0, 0, 0]);
    expect(await migrate(url)).toEqual([]);
  });
});
