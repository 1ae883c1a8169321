import type { Socket } from 'node:net';
import { openDatabase, type Database } from '../../models/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const SILENCE_MS = 500;
const LOCK = 'SELECT pg_advisory_xact_lock(7)';

let databases: Database[];
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createTestDatabase();
  ({ drop } = created);
  databases = [1, 2].map(() => openDatabase(created.url, 1, { silenceMs: SILENCE_MS }));
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await drop();
});

it('what a process holds that was lost in a transaction, with its machine, comes free after the silence', async () => {
  const [lost, other] = databases as [Database, Database];
  const transaction = await lost.sequelize.transaction();
  await lost.sequelize.query(LOCK, { transaction });
  const { connection } = transaction as unknown as {
    connection: { connection: { stream: Socket } };
  };
  // It does nothing more, and nobody tells PostgreSQL that it is gone.
  connection.connection.stream.setTimeout(0);
  await until(
    'the lock',
    () =>
      other.sequelize
        .query('SELECT pg_try_advisory_xact_lock(7) AS taken')
        .then(([rows]) => (rows[0] as { taken: boolean }).taken),
    20_000,
  );
  await transaction.rollback().catch(() => undefined);
});
