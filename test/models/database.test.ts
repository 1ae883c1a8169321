import { Client } from 'pg';
import { openDatabase } from '../../models/database.ts';
import { isDatabaseUnavailable } from '../../models/sql/database-errors.ts';
import { query } from '../../models/sql/query.ts';
import { createTestDatabase } from '../support/database.ts';
import { addBuild, addTicket } from '../support/rows.ts';
import { until } from '../support/until.ts';

describe('two databases in one process', () => {
  it('have models of their own', async () => {
    const created = [await createTestDatabase(), await createTestDatabase()] as const;
    const [one, other] = [openDatabase(created[0].url, 2), openDatabase(created[1].url, 2)];
    try {
      const build = await addBuild(one, { requestId: 'of the one' });
      expect(await other.Build.count()).toBe(0);
      expect(await other.Ticket.count()).toBe(0);

      await addTicket(other);
      await addBuild(other, { requestId: 'of the other' });
      const report = { buildId: build.id, key: 'begun', message: 'STARTED' as const };
      await one.ProgressEvent.record(report);
      expect(await build.reload()).toMatchObject({ requestId: 'of the one', state: 'checking' });
      expect(await other.ProgressEvent.unpublished()).toBe(1);
      expect(await one.ProgressEvent.unpublished()).toBe(2);
      expect(await other.Build.findByPk(build.id)).toMatchObject({ state: 'queued' });
      expect(await one.Ticket.count()).toBe(1);
      expect(await other.Ticket.count()).toBe(2);
    } finally {
      await Promise.all([one.close(), other.close()]);
      await Promise.all(created.map(({ drop }) => drop()));
    }
  });
});

describe('a connection', () => {
  it('asks for its settings once it is there, where PgBouncer takes them', async () => {
    const created = await createTestDatabase();
    const database = openDatabase(created.url, 1);
    try {
      const settings = await query(
        database.sequelize,
        `SELECT name, setting, source FROM pg_settings
         WHERE name IN ('jit', 'statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
      );
      const source = 'session';
      expect(settings).toEqual([
        { name: 'idle_in_transaction_session_timeout', setting: '35000', source },
        { name: 'jit', setting: 'off', source },
        { name: 'statement_timeout', setting: '30000', source },
      ]);
    } finally {
      await database.close();
      await created.drop();
    }
  });
});

describe('a database that is a standby', () => {
  it('is away until it is the primary: no connection to it is kept', async () => {
    const created = await createTestDatabase();
    // A pool would give up its connection in a pause of the machine, and be refused another.
    const administrator = new Client({ connectionString: created.url });
    await administrator.connect();
    const other = openDatabase(created.url, 2);
    const name = new URL(created.url).pathname.slice(1);
    try {
      await administrator.query(
        'CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean RETURN true',
      );
      // Ours hides PostgreSQL's from every new connection.
      await administrator.query(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
      for (let tries = 0; tries < 3; tries++) {
        const [read] = await Promise.allSettled([other.Ticket.count()]);
        expect(read).toMatchObject({ status: 'rejected' });
        expect(isDatabaseUnavailable((read as PromiseRejectedResult).reason)).toBe(true);
      }
      const others =
        'SELECT pid FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()';
      await until(
        'the other to have no connection',
        async () => (await administrator.query(others, [name])).rowCount === 0,
      );
      await administrator.query('DROP FUNCTION public.pg_is_in_recovery()');
      // The pool may still have begun a connection for a try that is over: its failure is told to who asks next.
      const count = () =>
        other.Ticket.count().catch((error: unknown) => {
          if (!isDatabaseUnavailable(error)) throw error;
          return undefined;
        });
      expect(await until('the new primary to answer', count)).toBe(0);
    } finally {
      await Promise.all([administrator.end(), other.close()]);
      await created.drop();
    }
  });
});
