import { Client } from 'pg';
import { query } from '../../../models/sql/query.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { serveApi, type Answer, type TestApi } from '../serve.ts';

const RETRY_AFTER_S = 5;
let api: TestApi;
let proxy: TcpProxy;
let directUrl: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createTestDatabase();
  ({ url: directUrl, drop } = created);
  const url = new URL(created.url);
  proxy = await startTcpProxy(url.hostname, Number(url.port));
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  api = await serveApi({
    databaseUrl: url.href,
    probes: {
      database: async () => {
        await api.database.sequelize.query('SELECT 1');
      },
      temporal: async () => {},
      broker: async () => {},
      store: async () => {},
    },
    limits: { probeTimeoutMs: 20_000, retryAfterS: RETRY_AFTER_S },
  });
});
afterEach(() => {
  proxy.open();
  jest.restoreAllMocks();
});
afterAll(async () => {
  await api.close();
  await proxy.stop();
  await drop();
});

const TICKET = { owner: 'dev@example.org', title: 'A fix' };
const PART = { source_package_upload: { sourcepackage: { name: 'p' }, version: '1' } };
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  api.call(method, `/api/v1/${path}`, body, headers);
const titles = (answer: Answer) => answer.json.objects.map(({ title }: { title: string }) => title);
const REQUESTS: [string, string, unknown?][] = [
  ['GET', 'ticket/'],
  ['GET', 'ticket/1/'],
  ['GET', 'ticket/set/1;2/'],
  ['GET', 'fullticket/1/'],
  ['POST', 'ticket/', TICKET],
  ['PUT', 'ticket/1/', TICKET],
  ['PATCH', 'ticket/1/', { title: 'x' }],
  ['PATCH', 'ticket/', { objects: [TICKET] }],
  ['DELETE', 'ticket/1/'],
  ['POST', 'ticket/bundle/', { ...TICKET, subtickets: [PART] }],
  ['PATCH', 'updateticketstatus/1/', { current_workflow_step: '200', status: '200' }],
];

describe('while the database is away', () => {
  it('reads and writes are 503 with Retry-After, and all is well once it is back', async () => {
    expect((await call('POST', 'ticket/', { ...TICKET, title: 'before' })).status).toBe(201);
    for (let round = 0; round < 2; round++) {
      proxy.close();
      for (const [method, path, body] of REQUESTS) {
        const answer = await call(method, path, body);
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 503 });
        expect(answer.headers.get('retry-after')).toBe(String(RETRY_AFTER_S));
        expect(answer.json).toMatchObject({ code: 'database_unavailable' });
      }
      proxy.open();
      expect(titles(await call('GET', 'ticket/'))).toEqual(['before']);
    }
    expect((await call('POST', 'ticket/', { ...TICKET, title: 'after' })).status).toBe(201);
    expect(titles(await call('GET', 'ticket/'))).toEqual(['before', 'after']);
  });

  it('/readyz says so and /healthz does not', async () => {
    expect((await api.call('GET', '/readyz')).status).toBe(200);
    proxy.close();
    const answer = await api.call('GET', '/readyz');
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({
      ready: false,
      health: { database: { healthy: false }, temporal: { healthy: true } },
    });
    expect((await api.call('GET', '/healthz')).status).toBe(200);
    proxy.open();
    expect((await api.call('GET', '/readyz')).status).toBe(200);
  });

  it('/startupz says so, as of a migration that is missing, until it has once seen all', async () => {
    const started = async () => {
      const { status, json } = await api.call('GET', '/startupz');
      expect(json).toEqual({ started: status === 200 });
      return status;
    };
    proxy.close();
    expect(await started()).toBe(503);
    proxy.open();
    const [latest] = await query<{ name: string }>(
      api.database.sequelize,
      'DELETE FROM migration WHERE name = (SELECT max(name) FROM migration) RETURNING name',
    );
    expect(await started()).toBe(503);
    // One that only later code knows is no fault: an earlier version has to start, too.
    await query(api.database.sequelize, "INSERT INTO migration VALUES ($1), ('9999-later.sql')", [
      latest?.name,
    ]);
    expect(await started()).toBe(200);
    proxy.close();
    expect(await started()).toBe(200);
  });

  it('who accepts problems is told that it may be tried again', async () => {
    proxy.close();
    const answer = await call('GET', 'ticket/', undefined, { accept: 'application/problem+json' });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 'database_unavailable',
      retryable: true,
    });
  });

  it('a change that has to give way to others again and again is told so', async () => {
    const { id } = (await call('POST', 'ticket/', TICKET)).json;
    await query(
      api.database.sequelize,
      `CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN RAISE EXCEPTION USING ERRCODE = ''deadlock_detected''; END';
       CREATE TRIGGER give_way BEFORE UPDATE ON ticket EXECUTE FUNCTION give_way()`,
    );
    try {
      const answer = await call('PATCH', `ticket/${id}/`, { title: 'changed' });
      expect(answer).toMatchObject({
        status: 503,
        json: {
          code: 'database_unavailable',
          error: 'What this changes was held by other requests, time after time.',
        },
      });
    } finally {
      await query(api.database.sequelize, 'DROP FUNCTION give_way CASCADE');
    }
  });

  it('a read that it gives up is no reason to try again, a change that has waited for too long is', async () => {
    const { id } = (await call('POST', 'ticket/', TICKET)).json;
    const read = await givenUp(() => call('GET', 'ticket/'));
    expect(read).toMatchObject({ status: 422, json: { code: 'took_too_long' } });
    expect(read.headers.get('retry-after')).toBeNull();
    for (const headers of [{}, { 'idempotency-key': '"waits"' }]) {
      const change = () => call('PATCH', `ticket/${id}/`, { title: 'changed' }, headers);
      const answer = await givenUp(change);
      expect(answer).toMatchObject({ status: 503, json: { code: 'database_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe(String(RETRY_AFTER_S));
      expect((await call('GET', `ticket/${id}/`)).json).toMatchObject({ title: TICKET.title });
    }
  });

  it('many requests at once are told so at once', async () => {
    proxy.close();
    const startedAtMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 50 }, () => call('GET', 'ticket/')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(performance.now() - startedAtMs).toBeLessThan(30_000);
    proxy.open();
    const back = await Promise.all(Array.from({ length: 50 }, () => call('GET', 'ticket/')));
    expect(new Set(back.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('a write with an Idempotency-Key can be sent again with it, and happens once', async () => {
    expectLostConnections();
    const key = { 'idempotency-key': '"while-away"' };
    const body = { ...TICKET, title: 'once' };
    proxy.close();
    expect((await call('POST', 'ticket/', body, key)).status).toBe(503);
    proxy.open();
    const first = await call('POST', 'ticket/', body, key);
    expect(first.status).toBe(201);
    expect((await call('POST', 'ticket/', body, key)).text).toBe(first.text);
    expect(titles(await call('GET', 'ticket/?title=once'))).toEqual(['once']);
  });
});

it('a bundle that loses its connection half-way leaves nothing', async () => {
  expectLostConnections();
  const before = (await call('GET', 'ticket/')).json.meta.total_count;
  const observer = new Client({ connectionString: directUrl });
  await observer.connect();
  try {
    await observer.query('BEGIN; LOCK TABLE subticket IN EXCLUSIVE MODE');
    const waiting = async () => {
      // Else it knows of nobody who has connected since its first look.
      await observer.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await observer.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length;
    };
    const half = call('POST', 'ticket/bundle/', { ...TICKET, subtickets: [PART] });
    // By then the ticket, its package and its upload are in the transaction.
    await until('the bundle to wait for the lock', async () => (await waiting()) === 1);
    proxy.close();
    expect((await half).status).toBe(503);
    await observer.query('ROLLBACK');
    await until('its transaction to end', async () => (await waiting()) === 0);
  } finally {
    await observer.end();
  }
  proxy.open();
  expect((await call('GET', 'ticket/')).json.meta.total_count).toBe(before);
  for (const table of ['sourcepackage', 'spu', 'subticket'])
    expect((await call('GET', `${table}/`)).json.objects).toEqual([]);
});

it('a bundle that loses its connection while it is committed has no address', async () => {
  expectLostConnections();
  const observer = new Client({ connectionString: directUrl });
  await observer.connect();
  try {
    await observer.query(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON subticket DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION lose()`);
    const body = { ...TICKET, subtickets: [PART] };
    const answer = await call('POST', 'ticket/bundle/', body, { prefer: 'return=minimal' });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('preference-applied')).toBeNull();
  } finally {
    await observer.query('DROP TRIGGER lost ON subticket; DROP FUNCTION lose');
    await observer.end();
  }
});

/** The answer to a request that waits for a lock until PostgreSQL cancels it, as a time-out would. */
async function givenUp(ask: () => Promise<Answer>): Promise<Answer> {
  const client = new Client({ connectionString: directUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE ticket');
    const asked = ask();
    await until('the request is cancelled', async () => {
      // Else a transaction sees what there was at its first look.
      await client.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await client.query<{ cancelled: boolean }>(
        `SELECT pg_cancel_backend(pid) AS cancelled FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    return await asked;
  } finally {
    await client.end();
  }
}

/** Sequelize says on the console that it could not roll back. */
function expectLostConnections(): void {
  jest.spyOn(console, 'warn').mockImplementation(() => {});
}
