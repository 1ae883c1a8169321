import { request as requestHttp } from 'node:http';
import Koa from 'koa';
import pino from 'pino';
import { QueryTypes, type Transaction } from 'sequelize';
import { ALL_TARGETS } from '../../../domain/access/target-rule.ts';
import { answerJson, type ApiContext, type RequestState } from '../../../api/http/context.ts';
import { answerErrors } from '../../../api/http/errors.ts';
import { presentAddresses } from '../../../api/http/present-addresses.ts';
import { idempotent } from '../../../api/http/idempotency.ts';
import { jsonBody } from '../../../api/http/json-body.ts';
import { AirlineError } from '../../../domain/errors.ts';
import { useDatabase } from '../../models/use-database.ts';
import { until } from '../../support/until.ts';
import { useKoa } from '../serve-koa.ts';

const LIFETIME_MS = 86_400_000;
const IN_FLIGHT_MS = 60_000;
const SHORT_IN_FLIGHT_MS = 5_000;

const database = useDatabase();
let nowMs = Date.parse('2026-05-04T12:00:00Z');
let inFlightMs = IN_FLIGHT_MS;
/** Requests that ask for it wait here, each until its name is let go. */
const held = new Map<string, () => void>();
let lastTransaction: Transaction | undefined;
let holders = 0;
let letBothOn = () => {};
const bothHold = new Promise<void>((resolve) => (letBothOn = resolve));

const app = new Koa<RequestState>();
app.use((ctx, next) => {
  ctx.state.logger = () => pino({ level: 'silent' });
  ctx.state.actor = {
    name: ctx.get('X-Actor') || 'lander',
    scopes: ['admin'],
    targets: ALL_TARGETS,
  };
  return next();
});
app.use(presentAddresses({ hosts: [], refusedPorts: [], storeUrl: '' }));
app.use(answerErrors(5));
app.use((ctx, next) => (ctx.request.length ? jsonBody(100_000)(ctx, next) : next()));
app.use((ctx) => {
  const now = () => new Date(nowMs);
  const options = { lifetimeMs: LIFETIME_MS, inFlightMs, retryAfterS: 2, now };
  return idempotent(database.now, options)(ctx as ApiContext, () => handle(ctx as ApiContext));
});
const server = useKoa(app);

beforeAll(() =>
  database.now.sequelize.query(
    'CREATE TABLE effect (id integer GENERATED ALWAYS AS IDENTITY, note text)',
  ),
);

type Wish = {
  note?: string;
  hold?: string;
  /** Taken in this order, the second once another request has its first. */
  locks?: [number, number];
  outcome?: 'throw' | 'refuse' | 'nothing' | 'no content' | 'secret';
};

/** Adds a row, and does besides what the body wishes for. */
async function handle(ctx: ApiContext): Promise<void> {
  lastTransaction = ctx.state.transaction;
  const { note = '', hold, locks = [], outcome } = (ctx.request.body ?? {}) as Wish;
  const [row] = await database.now.sequelize.query<{ id: number }>(
    'INSERT INTO effect (note) VALUES ($note) RETURNING id',
    {
      bind: { note },
      type: QueryTypes.SELECT,
      ...(ctx.state.transaction ? { transaction: ctx.state.transaction } : {}),
    },
  );
  if (hold !== undefined) await new Promise<void>((resolve) => held.set(hold, resolve));
  for (const lock of locks) {
    await database.now.sequelize.query('SELECT pg_advisory_xact_lock($lock)', {
      bind: { lock },
      transaction: ctx.state.transaction ?? null,
    });
    if (++holders === 2) letBothOn();
    await bothHold;
  }
  ctx.set({ Location: `/effect/${row?.id}/`, ETag: `"${row?.id}"`, 'X-Other': 'not kept' });
  if (outcome === 'throw') throw new AirlineError('conflict', 'Not now.');
  if (outcome === 'refuse') answerJson(ctx, 409, { error: 'Not now.' });
  else if (outcome === 'no content') ctx.status = 204;
  else {
    answerJson(ctx, 201, { id: row?.id, note });
    if (outcome === 'nothing') ctx.body = '';
    if (outcome === 'secret') ctx.set('Cache-Control', 'no-store');
  }
}

const send = async (
  key: string | undefined,
  body: Wish,
  { path = '/effect/', method = 'POST', actor = 'lander' } = {},
) => {
  const request: RequestInit = {
    method,
    headers: {
      'content-type': 'application/json',
      'x-actor': actor,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(100_000),
  };
  const response = await fetch(`${server.url}${path}`, request);
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
};
const codeOf = ({ text }: { text: string }): string => JSON.parse(text).code;
const isReplay = ({ headers }: { headers: Headers }) =>
  headers.get('idempotency-replayed') === 'true';
const effects = async (note: string) => {
  const rows = await database.now.sequelize.query('SELECT FROM effect WHERE note = $note', {
    bind: { note },
    type: QueryTypes.SELECT,
  });
  return rows.length;
};
/** Sequelize tells the console when it cannot roll back on a connection that is gone. */
const expectLostConnection = () => jest.spyOn(console, 'warn').mockImplementation(() => {});
afterEach(() => jest.restoreAllMocks());
const whenHeld = (name: string) => until(`${name} to be held`, () => held.get(name));

describe('a request with an Idempotency-Key', () => {
  it('happens once when it is sent twenty times at once; who is not answered is told to come back', async () => {
    const note = 'twenty';
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('k-20', { note })));
    expect(await effects(note)).toBe(1);
    const first = answers.filter((answer) => answer.status === 201 && !isReplay(answer));
    expect(first).toHaveLength(1);
    for (const answer of answers.filter((answer) => !first.includes(answer)))
      if (answer.status === 201) expect(answer.text).toBe(first[0]?.text);
      else {
        expect(answer.status).toBe(409);
        expect(codeOf(answer)).toBe('request_in_flight');
        expect(answer.headers.get('retry-after')).toBe('2');
      }
    const later = await send('k-20', { note });
    expect(later).toMatchObject({ status: 201, text: first[0]?.text });
    expect(isReplay(later)).toBe(true);
    expect(await effects(note)).toBe(1);
  });

  it('begins again where it had to give way to another in a deadlock', async () => {
    const answers = await Promise.all([
      send('k-there', { note: 'there', locks: [1, 2] }),
      send('k-back', { note: 'back', locks: [2, 1] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect([await effects('there'), await effects('back')]).toEqual([1, 1]);
    expect(isReplay(await send('k-back', { note: 'back', locks: [2, 1] }))).toBe(true);
  });

  it('is refused at once while the first one runs, and replayed after it', async () => {
    const wish = { note: 'slow', hold: 'slow' };
    const first = send('k-slow', wish);
    const release = await whenHeld('slow');
    const second = await send('k-slow', wish);
    expect(second.status).toBe(409);
    expect(codeOf(second)).toBe('request_in_flight');
    release();
    const answer = await first;
    expect(answer.status).toBe(201);
    expect(await send('k-slow', wish)).toMatchObject({ status: 201, text: answer.text });
    expect(await effects('slow')).toBe(1);
  });

  it('gets the same bytes, status and headers again, however the key is written', async () => {
    const escaped = await send(String.raw`"k-\"same\\"`, { note: 'escaped' });
    expect(escaped.status).toBe(201);
    const wish = { note: 'same \u{1F427} "quoted"' };
    const answer = await send('"k-same"', wish);
    expect(isReplay(answer)).toBe(false);
    for (const [key, path] of [
      ['"k-same"', '/effect/'],
      ['k-same', '/effect/'],
      ['k-same', '/effect'],
    ] as const) {
      const again = await send(key, wish, { path });
      expect(again).toMatchObject({ status: 201, text: answer.text });
      expect(isReplay(again)).toBe(true);
      for (const name of ['content-type', 'content-length', 'etag', 'location'])
        expect(again.headers.get(name)).toBe(answer.headers.get(name));
      expect(again.headers.get('location')).toMatch(/^\/effect\/\d+\/$/);
      expect(again.headers.get('x-other')).toBeNull();
    }
    expect(await effects(wish.note)).toBe(1);
  });

  it.each([
    ['nothing', 201, '0'],
    ['no content', 204, null],
  ] as const)('whose answer has %s in it gets that again', async (outcome, status, length) => {
    const key = `k-${outcome.replace(' ', '-')}`;
    const first = await send(key, { note: outcome, outcome });
    const again = await send(key, { note: outcome, outcome });
    expect(isReplay(again)).toBe(true);
    for (const answer of [first, again]) {
      expect(answer).toMatchObject({ status, text: '' });
      expect(answer.headers.get('content-length')).toBe(length);
      expect(answer.headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    expect(await effects(outcome)).toBe(1);
  });

  it('is refused with another body or query: 422', async () => {
    expect((await send('k-other', { note: 'one' })).status).toBe(201);
    const body = await send('k-other', { note: 'two' });
    expect(body.status).toBe(422);
    expect(codeOf(body)).toBe('idempotency_key_reused');
    const query = await send('k-other', { note: 'one' }, { path: '/effect/?dry=1' });
    expect(query.status).toBe(422);
    expect(await effects('two')).toBe(0);
    expect(isReplay(await send('k-other', { note: 'one' }))).toBe(true);
  });

  it('has nothing to do with that of another actor, path or method', async () => {
    const wish = { note: 'apart' };
    for (const other of [
      { actor: 'developer' },
      { path: '/other/' },
      { method: 'PUT' },
      { path: `/${'long'.repeat(2_000)}/` },
      {},
    ]) {
      const answer = await send('k-apart', wish, other);
      expect(answer.status).toBe(201);
      expect(isReplay(answer)).toBe(false);
    }
    expect(await effects('apart')).toBe(5);
  });

  it.each(['throw', 'refuse'] as const)(
    'does not use its key up when it is refused (%s), and leaves nothing behind',
    async (outcome) => {
      const key = `k-${outcome}`;
      const refused = await send(key, { note: outcome, outcome });
      expect(refused.status).toBe(409);
      expect(refused.text).toContain('Not now.');
      expect(await effects(outcome)).toBe(0);
      const corrected = await send(key, { note: outcome });
      expect(corrected.status).toBe(201);
      expect(isReplay(corrected)).toBe(false);
      expect(await effects(outcome)).toBe(1);
    },
  );

  it('whose process dies leaves neither its effect nor its key', async () => {
    expectLostConnection();
    const wish = { note: 'dies', hold: 'dies' };
    const first = send('k-dies', wish);
    const release = await whenHeld('dies');
    held.delete('dies');
    await database.now.sequelize.query(
      `SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    const second = send('k-dies', wish);
    (await whenHeld('dies'))();
    expect(await second).toMatchObject({ status: 201 });
    release();
    const answer = await first;
    expect(answer.status).toBe(503);
    expect(codeOf(answer)).toBe('database_unavailable');
    expect(answer.headers.get('location')).toBeNull();
    expect(await effects('dies')).toBe(1);
  });

  it('whose process is out of reach holds its key for a limited time, and cannot come back after it', async () => {
    expectLostConnection();
    const wish = { note: 'lost', hold: 'lost' };
    inFlightMs = SHORT_IN_FLIGHT_MS;
    const first = send('k-lost', wish);
    const release = await whenHeld('lost');
    // Only the first is out of reach.
    inFlightMs = IN_FLIGHT_MS;
    held.delete('lost');
    const second = until('the key to be free', async () => {
      const answer = await send('k-lost', wish);
      return answer.status === 409 ? undefined : answer;
    });
    (await whenHeld('lost'))();
    expect(await second).toMatchObject({ status: 201 });
    release();
    expect((await first).status).toBe(503);
    expect(await effects('lost')).toBe(1);
    const again = await send('k-lost', wish);
    expect(isReplay(again)).toBe(true);
  });

  it('whose answer is secret happens once; its repetition is told what was made, and no secret', async () => {
    const wish = { note: 'secret', outcome: 'secret' } as const;
    const first = await send('k-secret', wish);
    expect(first).toMatchObject({ status: 201, text: expect.stringContaining('secret') });
    const again = await send('k-secret', wish);
    expect(again.status).toBe(409);
    expect(codeOf(again)).toBe('secret_not_repeated');
    expect(again.text).toContain(first.headers.get('location'));
    expect(again.text).not.toContain(first.text);
    expect(isReplay(again)).toBe(false);
    expect((await send('k-secret', { ...wish, note: 'another' })).status).toBe(422);
    expect(await effects('secret')).toBe(1);
    const kept = await database.now.IdempotencyKey.findOne({ where: { key: 'k-secret' } });
    expect(kept?.body).toBeNull();
    nowMs += LIFETIME_MS;
    expect((await send('k-secret', wish)).status).toBe(201);
  });

  it('happens again after the lifetime of its key, be it another request', async () => {
    expect((await send('k-old', { note: 'old' })).status).toBe(201);
    nowMs += LIFETIME_MS - 1;
    expect(isReplay(await send('k-old', { note: 'old' }))).toBe(true);
    nowMs += 1;
    const other = await send('k-old', { note: 'new' });
    expect(other.status).toBe(201);
    expect(isReplay(other)).toBe(false);
    expect(isReplay(await send('k-old', { note: 'new' }))).toBe(true);
    expect((await send('k-old', { note: 'old' })).status).toBe(422);
  });

  it.each([
    ['empty', ''],
    ['an empty string', '""'],
    ['not closed', '"open'],
    ['two words', 'two words'],
    ['two strings', '"one", "two"'],
    ['beyond ASCII', 'sch\u00f6n'],
    ['too long', 'k'.repeat(256)],
  ])('has a key that can be read, else it is 400: %s', async (_what, key) => {
    const answer = await send(key, { note: 'unread' });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('invalid_field');
    expect(await effects('unread')).toBe(0);
  });

  it('may have a key of 255 characters, and no body', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(255) };
    const post = () => fetch(`${server.url}/bare/`, { method: 'POST', headers });
    const [first, again] = [await post(), await post()];
    expect(first.status).toBe(201);
    expect(isReplay(again)).toBe(true);
    expect(await again.text()).toBe(await first.text());
  });

  it('that comes with two keys is 400', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { 'idempotency-key': ['one', 'two'] };
      requestHttp(`${server.url}/effect/`, { method: 'POST', headers, agent: false })
        .once('response', (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });
});

describe('a request without an Idempotency-Key', () => {
  it('has no transaction and happens each time', async () => {
    for (const status of [201, 201])
      expect((await send(undefined, { note: 'free' })).status).toBe(status);
    expect(lastTransaction).toBeUndefined();
    expect(await effects('free')).toBe(2);
    await send('k-bound', { note: 'bound' });
    expect(lastTransaction).toBeDefined();
  });
});
