import { authenticate, type AuthenticationOptions } from '../../../api/http/authentication.ts';
import { tokenOperations } from '../../../api/service/token-routes.ts';
import type { Scope } from '../../../domain/access/access.ts';
import { useDatabase } from '../../models/use-database.ts';
import { serveOperations, type ServedOperations } from '../serve-operations.ts';
import { LIMITS, serveApi } from '../serve.ts';

const database = useDatabase();

const DAY_MS = 86_400_000;
const LIFETIMES = { defaultMs: 90 * DAY_MS, maxMs: 365 * DAY_MS };
const NOW = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms).toISOString();

let api: ServedOperations;
let admin: string;

beforeEach(async () => {
  await database.now.AccessToken.destroy({ where: {} });
  ({ text: admin } = await issue('the-admin', ['admin']));
  api = await serve();
});
afterEach(() => api.close());

const issue = (name: string, scopes: readonly Scope[]) =>
  database.now.AccessToken.issue({ name, scopes }, LIFETIMES, { actor: 'a test' }, NOW);

function serve(mode: AuthenticationOptions['mode'] = 'token') {
  const now = () => NOW;
  const failures = { max: 100, windowMs: 60_000 };
  const sessions = { idleMs: DAY_MS, isAlwaysSecure: false };
  const access = authenticate({ mode, database: database.now, failures, sessions, now });
  return serveOperations(tokenOperations, access, {
    database: database.now,
    limits: { ...LIMITS, tokenLifetimes: LIFETIMES },
    now,
  });
}

async function call(method: 'GET' | 'POST', path: string, body?: unknown, token = admin) {
  const response = await fetch(`${api.url}/api/v1/token/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(100_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text ? JSON.parse(text) : undefined,
  };
}

describe('issuing a token', () => {
  it('shows its text once, and what it may do from then on', async () => {
    const made = await call('POST', '', { name: 'lander', scopes: ['read', 'ticket:write'] });
    expect(made.status).toBe(201);
    const { token, ...shown } = made.json;
    expect(shown).toEqual({
      id: expect.any(Number),
      resource_uri: `/api/v1/token/${shown.id}/`,
      name: 'lander',
      scopes: ['read', 'ticket:write'],
      ppas: [],
      queue_prefixes: [],
      created_at: NOW.toISOString(),
      created_by: 'the-admin',
      expires_at: after(90 * DAY_MS),
      revoked_at: null,
      revoked_by: null,
      last_used_at: null,
    });
    expect(made.headers.get('location')).toBe(shown.resource_uri);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const read = await call('GET', `${shown.id}/`);
    expect({ status: read.status, json: read.json }).toEqual({ status: 200, json: shown });
    expect((await call('GET', 'self/', undefined, token)).json.name).toBe('lander');
    expect(api.log()).toContain('token issued');
    expect(api.log()).not.toContain(token);
  });

  it('takes an expiry, with its offset', async () => {
    const body = { name: 'short', scopes: ['read'], expires_at: '2026-11-21T14:00:00+02:00' };
    expect((await call('POST', '', body)).json.expires_at).toBe(after(DAY_MS));
  });

  it('takes the PPAs and the beginnings of queues that it may name', async () => {
    const lists = { ppas: ['~team/*', '~ada/ubuntu/greetings'], queue_prefixes: ['team-'] };
    const made = await call('POST', '', { name: 'team', scopes: ['build:write'], ...lists });
    expect(made).toMatchObject({ status: 201, json: lists });
    expect((await call('GET', `${made.json.id}/`)).json).toMatchObject(lists);
  });

  it.each([
    [
      'PPAs in another form',
      { name: 'x', scopes: ['read'], ppas: ['team/own'] },
      { ppas: [expect.stringContaining('~owner/*')] },
    ],
    [
      'a beginning that no queue has',
      { name: 'x', scopes: ['read'], queue_prefixes: ['a b'] },
      { queue_prefixes: [expect.any(String)] },
    ],
    [
      'more entries than a list has',
      { name: 'x', scopes: ['read'], queue_prefixes: Array(101).fill('a') },
      { queue_prefixes: ['At most 100 entries are taken.'] },
    ],
    [
      'a list for who may do everything',
      { name: 'x', scopes: ['admin'], ppas: ['~team/*'] },
      { ppas: [expect.stringMatching(/token without one/)] },
    ],
    ['no name', { scopes: ['read'] }, { name: ['This field is required.'] }],
    ['a name with a space', { name: 'a b', scopes: ['read'] }, { name: [expect.any(String)] }],
    [
      'the name of nobody',
      { name: 'anonymous', scopes: ['read'] },
      { name: [expect.stringMatching(/without a token/)] },
    ],
    ['two faults', { name: 7 }, { name: ['Enter a string.'], scopes: ['This field is required.'] }],
    ['no scopes', { name: 'x', scopes: [] }, { scopes: ['Enter at least one scope.'] }],
    [
      'a scope that there is not',
      { name: 'x', scopes: ['read', 'root', 'all'] },
      { scopes: ['Enter scopes of read, ticket:write, build:write, landing:approve, admin.'] },
    ],
    [
      'a time without its offset',
      { name: 'x', scopes: ['read'], expires_at: '2026-11-21T14:00:00' },
      { expires_at: [expect.stringMatching(/offset/)] },
    ],
    [
      'a time that is over',
      { name: 'x', scopes: ['read'], expires_at: NOW.toISOString() },
      { expires_at: ['Enter a time to come.'] },
    ],
    [
      'a time too far away',
      { name: 'x', scopes: ['read'], expires_at: after(366 * DAY_MS) },
      { expires_at: [`Enter a time up to ${after(365 * DAY_MS)}.`] },
    ],
  ])('refuses %s', async (_name, body, fields) => {
    expect(await call('POST', '', body)).toMatchObject({
      status: 400,
      json: { code: 'invalid_field', fields },
    });
    expect((await call('GET', '')).json.meta.total_count).toBe(1);
  });

  it('refuses a name that is taken, and says by which', async () => {
    const body = { name: 'lander', scopes: ['read'] };
    const { json: first } = await call('POST', '', body);
    expect(await call('POST', '', body)).toMatchObject({
      status: 409,
      json: { code: 'conflict', error: expect.stringContaining(first.resource_uri) },
    });
  });
});

describe('revoking a token', () => {
  it('ends it at once, and says when and by whom', async () => {
    const { text, row } = await issue('lander', ['read']);
    expect((await call('GET', 'self/', undefined, text)).status).toBe(200);
    const revoked = await call('POST', `${row.id}/revoke/`);
    expect(revoked).toMatchObject({
      status: 202,
      json: { id: row.id, revoked_at: NOW.toISOString(), revoked_by: 'the-admin' },
    });
    expect((await call('GET', 'self/', undefined, text)).status).toBe(401);
    expect(await call('POST', `${row.id}/revoke/`)).toMatchObject({
      status: 202,
      json: revoked.json,
    });
  });

  it('works on the token that asks for it', async () => {
    const { json } = await call('GET', 'self/');
    expect((await call('POST', `${json.resource_uri.split('/').at(-2)}/revoke/`)).status).toBe(202);
    expect((await call('GET', 'self/')).status).toBe(401);
  });
});

it.each(['0', '2147483647', '2147483648', '99999999999999999999', 'x', '1e3', '%00'])(
  'there is no token %s: 404',
  async (id) => {
    const notFound = { status: 404, json: { code: 'not_found' } };
    expect(await call('GET', `${id}/`)).toMatchObject(notFound);
    expect(await call('POST', `${id}/revoke/`)).toMatchObject(notFound);
  },
);

describe('the list of tokens', () => {
  it('has all of them in pages, and neither texts nor hashes', async () => {
    const { text, row } = await issue('lander', ['read']);
    await issue('someone', ['read', 'build:write']);
    await call('POST', `${row.id}/revoke/`);
    const list = await call('GET', '?limit=2&offset=1');
    expect(list.json).toMatchObject({
      meta: { limit: 2, offset: 1, total_count: 3, next: null },
      objects: [
        { name: 'lander', revoked_by: 'the-admin' },
        { name: 'someone', scopes: ['read', 'build:write'], revoked_at: null },
      ],
    });
    expect(list.text).not.toMatch(/hash/);
    expect(list.text).not.toContain(text);
    expect((await call('GET', '?limit=2')).json.meta.next).toMatch(/\?limit=2&offset=2$/);
  });

  it('says when each was used last', async () => {
    const { text } = await issue('lander', ['read']);
    await call('GET', 'self/', undefined, text);
    const { json } = await call('GET', '');
    expect(json.objects[1]).toMatchObject({ name: 'lander', last_used_at: NOW.toISOString() });
  });
});

describe('the caller itself', () => {
  it('is told its name, scopes and end', async () => {
    const { text, row } = await issue('lander', ['read', 'build:write']);
    expect((await call('GET', 'self/', undefined, text)).json).toEqual({
      name: 'lander',
      scopes: ['read', 'build:write'],
      ppas: [],
      queue_prefixes: [],
      expires_at: after(90 * DAY_MS),
      resource_uri: `/api/v1/token/${row.id}/`,
    });
  });

  it('is anybody without authentication, who may issue tokens', async () => {
    await api.close();
    api = await serve('off');
    expect((await call('GET', 'self/')).json).toEqual({
      name: 'anonymous',
      scopes: ['admin'],
      ppas: [],
      queue_prefixes: [],
      expires_at: null,
      resource_uri: null,
    });
    const made = await call('POST', '', { name: 'first', scopes: ['admin'] });
    expect(made).toMatchObject({ status: 201, json: { created_by: 'anonymous' } });
  });
});

it('only admin may see, issue and revoke tokens', async () => {
  const { text, row } = await issue('lander', ['read', 'ticket:write', 'build:write']);
  const forbidden = { status: 403, json: { code: 'forbidden' } };
  for (const [method, path] of [
    ['GET', ''],
    ['GET', `${row.id}/`],
    ['POST', ''],
    ['POST', `${row.id}/revoke/`],
  ] as const) {
    const body = method === 'POST' && path === '' ? { name: 'x', scopes: ['read'] } : undefined;
    expect(await call(method, path, body, text)).toMatchObject(forbidden);
  }
  expect(await database.now.AccessToken.count()).toBe(2);
});

// The last one: the models belong to the database that was opened last.
it('a token that was issued once for an Idempotency-Key is in no row of the database', async () => {
  const whole = await serveApi({ authentication: 'token' });
  try {
    const { AccessToken, sequelize } = whole.database;
    const request = { name: 'the-admin', scopes: ['admin'] } as const;
    const { text } = await AccessToken.issue(request, LIFETIMES, { actor: 'a test' });
    const ask = (headers: Record<string, string>) =>
      whole.call('POST', '/api/v1/token/', { name: 'lander', scopes: ['read'] }, headers);
    const headers = { authorization: `Bearer ${text}`, 'idempotency-key': 'once' };
    expect(await ask({})).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
    const made = await ask(headers);
    expect(made).toMatchObject({ status: 201, json: { name: 'lander' } });
    // Its text cannot be told again.
    expect(await ask(headers)).toMatchObject({
      status: 409,
      json: {
        code: 'secret_not_repeated',
        error: expect.stringContaining(made.json.resource_uri),
      },
    });
    const [tables] = await sequelize.query('SELECT relname FROM pg_stat_user_tables');
    const rows = await Promise.all(
      (tables as { relname: string }[]).map(({ relname }) =>
        sequelize.query(`SELECT t::text AS row FROM "${relname}" t`),
      ),
    );
    const all = JSON.stringify(rows.map(([found]) => found));
    expect(all).toContain('lander');
    for (const secret of [text, made.json.token]) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString('hex'));
    }
  } finally {
    await whole.close();
  }
});
