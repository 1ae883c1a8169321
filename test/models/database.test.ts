import { Client } from 'pg';
import pino from 'pino';
import { openDatabase } from '../../models/database.ts';
import { createProgressFeed } from '../../models/events/progress-feed.ts';
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

/** A database that says that it is a standby, and is the primary once it is promoted. */
async function createStandby() {
  const created = await createTestDatabase();
  // A pool would give up its connection in a pause of the machine, and be refused another.
  const administrator = new Client({ connectionString: created.url });
  await administrator.connect();
  const name = new URL(created.url).pathname.slice(1);
  await administrator.query(
    'CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean RETURN true',
  );
  // Ours hides PostgreSQL's from every new connection.
  await administrator.query(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  const others = 'SELECT pid FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()';
  return {
    url: created.url,
    isLeft: async () => (await administrator.query(others, [name])).rowCount === 0,
    promote: () => administrator.query('DROP FUNCTION public.pg_is_in_recovery()'),
    async drop() {
      await administrator.end();
      await created.drop();
    },
  };
}

describe('a database that is a standby', () => {
  it('is away until it is the primary: no connection to it is kept', async () => {
    const standby = await createStandby();
    const other = openDatabase(standby.url, 2);
    try {
      for (let tries = 0; tries < 3; tries++) {
        const [read] = await Promise.allSettled([other.Ticket.count()]);
        expect(read).toMatchObject({ status: 'rejected' });
        expect(isDatabaseUnavailable((read as PromiseRejectedResult).reason)).toBe(true);
      }
      await until('the other to have no connection', standby.isLeft);
      await standby.promote();
      // The pool may still have begun a connection for a try that is over: its failure is told to who asks next.
      const count = () =>
        other.Ticket.count().catch((error: unknown) => {
          if (!isDatabaseUnavailable(error)) throw error;
          return undefined;
        });
      expect(await until('the new primary to answer', count)).toBe(0);
    } finally {
      await other.close();
      await standby.drop();
    }
  });

  it('tells nobody of changes until it is the primary: the feed of them keeps no connection either', async () => {
    const standby = await createStandby();
    const logger = pino({ level: 'silent' });
    const lost = jest.spyOn(logger, 'warn');
    const feed = createProgressFeed({
      databaseUrl: standby.url,
      changesMs: 5,
      retryMs: 1,
      logger,
    });
    try {
      const missed = jest.fn();
      feed.subscribeToChanges({ changed: () => undefined, missed });
      const isOver = () => missed.mock.calls.length > 0 || lost.mock.calls.length >= 3;
      await until('some tries to be given up', isOver);
      expect(missed).not.toHaveBeenCalled();
      expect(lost.mock.calls[0]?.[0]).toMatchObject({
        err: { message: 'The database is a standby.' },
      });
      await standby.promote();
      await until('the new primary to be followed', () => missed.mock.calls.length > 0);
    } finally {
      await feed.close();
      await standby.drop();
    }
  });
});
