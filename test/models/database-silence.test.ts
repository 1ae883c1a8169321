import { isDatabaseUnavailable } from '../../models/sql/database-errors.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { selectRow } from '../../models/sql/read-rows.ts';
import { atomically } from '../../models/sql/transactions.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const SILENCE_MS = 5_000;
let proxy: TcpProxy;
let database: Database;
/** Past the proxy. */
let other: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createTestDatabase();
  ({ drop } = created);
  const url = new URL(created.url);
  proxy = await startTcpProxy(url.hostname, Number(url.port));
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  // One connection: another one of the pool would be as frozen, and be given up a little later.
  database = openDatabase(url.href, 1, { silenceMs: SILENCE_MS });
  other = openDatabase(created.url, 1);
});
afterAll(async () => {
  // First, so that nothing waits for a good-bye through what is frozen.
  await proxy.stop();
  await database.close();
  await other.close();
  await drop();
});
afterEach(() => jest.restoreAllMocks());

/** What a call fails with, or gives, and whether that was for the silence. */
async function outcomeOf(call: () => Promise<unknown>) {
  const startedAtMs = performance.now();
  const [result] = await Promise.allSettled([call()]);
  return { ...result, tookMs: performance.now() - startedAtMs };
}

describe('a database that is connected and says nothing any more', () => {
  const read = () => selectRow(database.Ticket, 1);

  it.each([
    ['a read', read],
    ["one of Sequelize's own", () => database.sequelize.query('SELECT 1')],
    [
      'a transaction',
      () =>
        atomically(database.sequelize, { actor: 'test' }, ({ transaction }) =>
          database.Ticket.findByPk(1, { transaction }),
        ),
    ],
  ])('is given up for %s after a while; the next one has a new connection', async (_name, call) => {
    // Sequelize says on the console that it could not roll back.
    jest.spyOn(console, 'warn').mockImplementation(() => {});
    await call();
    proxy.freeze();
    const { tookMs, ...outcome } = await outcomeOf(call);
    expect(outcome.status).toBe('rejected');
    expect(isDatabaseUnavailable((outcome as PromiseRejectedResult).reason)).toBe(true);
    expect(tookMs).toBeGreaterThan(SILENCE_MS - 50);
    expect(tookMs).toBeLessThan(SILENCE_MS * 60);
    expect(await read()).toBeUndefined();
  });
});

describe('a process that is lost with its machine', () => {
  it('gives up what it has locked after a while, though nobody tells the database', async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => {});
    const transaction = await database.sequelize.transaction();
    await database.sequelize.query('SELECT pg_advisory_xact_lock(7)', { transaction });
    proxy.freeze();
    await until('the lock', () =>
      other.sequelize
        .query('SELECT pg_try_advisory_xact_lock(7) AS taken')
        .then(([rows]) => (rows[0] as { taken: boolean }).taken),
    );
    await expect(transaction.rollback()).rejects.toThrow();
  });
});
