import { openDatabase, type Database } from '../../models/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const SILENCE_MS = 500;

let proxy: TcpProxy;
let lost: Database;
let other: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createTestDatabase();
  ({ drop } = created);
  const url = new URL(created.url);
  proxy = await startTcpProxy(url.hostname, Number(url.port));
  url.port = String(proxy.port);
  lost = openDatabase(url.href, 1, { silenceMs: SILENCE_MS });
  other = openDatabase(created.url, 1);
});
afterAll(async () => {
  await lost.close();
  await other.close();
  await proxy.stop();
  await drop();
});

it('what a process holds that was lost in a transaction, with its machine, comes free after the silence', async () => {
  const transaction = await lost.sequelize.transaction();
  await lost.sequelize.query('SELECT pg_advisory_xact_lock(7)', { transaction });
  // Nobody tells PostgreSQL that the other side is gone.
  proxy.freeze();
  await until(
    'the lock',
    () =>
      other.sequelize
        .query('SELECT pg_try_advisory_xact_lock(7) AS taken')
        .then(([rows]) => (rows[0] as { taken: boolean }).taken),
    20_000,
  );
  await expect(transaction.rollback()).rejects.toThrow();
});
