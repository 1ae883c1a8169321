import { ALL_TARGETS } from '../../../domain/access/target-rule.ts';
import { authenticate, type AuthenticationOptions } from '../../../api/http/authentication.ts';
import { answerJson } from '../../../api/http/context.ts';
import type { Operation } from '../../../api/http/operation.ts';
import { SCOPES, type Scope } from '../../../domain/access/access.ts';
import { openDatabase, type Database } from '../../../models/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { serveOperations, type ServedOperations } from '../serve-operations.ts';

const MAX_FAILURES = 3;
const WINDOW_MS = 60_000;
const NOBODY = `airline_${'a'.repeat(43)}`;

let api: ServedOperations;
let database: Database;
let wayToDatabase: TcpProxy;
let drop: () => Promise<void>;
let made = 0;

beforeAll(async () => {
  const created = await createTestDatabase();
  const url = new URL(created.url);
  wayToDatabase = await startTcpProxy(url.hostname, Number(url.port));
  url.port = String(wayToDatabase.port);
  database = openDatabase(url.href, 5);
  ({ drop } = created);
});
afterAll(async () => {
  await database.close();
  await wayToDatabase.stop();
  await drop();
});
beforeEach(async () => {
  api = await serve();
});
afterEach(() => api.close());

/** One operation for each scope, which answers what the routes behind the rules see, and an open one. */
function operationOf(scope: Scope | null): Operation {
  return {
    method: 'get',
    path: `/${scope ?? 'open'}/`,
    summary: '',
    scope,
    answers: {},
    errors: [],
    handle: (ctx) => answerJson(ctx, 200, { actor: ctx.state.actor, url: ctx.url }),
  };
}

function serve(options: Partial<AuthenticationOptions> = {}, proxies = 0) {
  const access = authenticate({
    mode: 'token',
    database,
    failures: { max: MAX_FAILURES, windowMs: WINDOW_MS },
    sessions: { idleMs: 3_600_000, isAlwaysSecure: false },
    ...options,
  });
  return serveOperations([...SCOPES, null].map(operationOf), access, {}, proxies);
}

async function issue(scopes: readonly Scope[] = ['read'], expiresAt?: Date) {
  made += 1;
  const name = `caller-${made}`;
  const lifetimes = { defaultMs: 3_600_000, maxMs: 3_600_000 };
  const { AccessToken } = database;
  const { text, row } = await AccessToken.issue({ name, scopes, expiresAt }, lifetimes, {
    actor: 'a test',
  });
  return { name, text, id: row.id };
}

async function get(path: string, authorization?: string, headers: Record<string, string> = {}) {
  const response = await fetch(api.url + path, {
    headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
    signal: AbortSignal.timeout(100_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    challenge: response.headers.get('www-authenticate'),
    json: text ? JSON.parse(text) : undefined,
  };
}

describe('a caller with a token', () => {
  it.each([
    ['Bearer', (text: string) => `Bearer ${text}`],
    ['bearer, in small letters', (text: string) => `bearer ${text}`],
    ['ApiKey', (text: string, name: string) => `ApiKey ${name}:${text}`],
    ['apikey, in small letters', (text: string, name: string) => `apikey ${name}:${text}`],
  ])('is known by %s', async (_scheme, header) => {
    const { name, text } = await issue(['read', 'build:write']);
    const { status, json } = await get('/read/', header(text, name));
    expect({ status, actor: json.actor }).toEqual({
      status: 200,
      actor: { name, scopes: ['read', 'build:write'], targets: ALL_TARGETS },
    });
  });

  it('is known by the query of old clients, which goes no further', async () => {
    const { name, text } = await issue();
    const query = `limit=5&username=${name}&api_key=${text}&owner=a%40b`;
    const { status, json, headers } = await get(`/read/?${query}`);
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        actor: { name, scopes: ['read'], targets: ALL_TARGETS },
        url: '/read/?limit=5&owner=a%40b',
      },
    });
    expect(headers.get('cache-control')).toBe('private');
    expect(api.log()).toContain('"path":"/read/"');
    expect(api.log()).not.toContain(text);
  });

  it('is who the header says where both are given', async () => {
    const one = await issue();
    const other = await issue();
    const path = `/read/?username=${other.name}&api_key=${other.text}`;
    expect((await get(path, `Bearer ${one.text}`)).json.actor.name).toBe(one.name);
    expect((await get(path, 'Basic YTpi')).json.actor.name).toBe(other.name);
  });

  it('is let in by its last value where a parameter comes twice, as in Django', async () => {
    const { name, text } = await issue();
    const path = `/read/?username=x&username=${name}&api_key=y&api_key=${text}`;
    expect((await get(path)).json.actor.name).toBe(name);
  });

  it('keeps a filter that is called username, where no key comes with it', async () => {
    const { text } = await issue();
    expect((await get('/read/?username=me', `Bearer ${text}`)).json.url).toBe('/read/?username=me');
  });
});

describe('a caller without a valid token', () => {
  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['a scheme that there is not', 'Basic YTpi'],
    ['a name that only begins as one', `Bearerless ${NOBODY}`],
  ])('is asked for one: %s', async (_name, header) => {
    expect(await get('/read/', header)).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="airline"',
      json: { code: 'unauthenticated', error: 'This needs a token.' },
    });
  });

  it.each([
    ['an unknown token', `Bearer ${NOBODY}`],
    ['no token after the scheme', 'Bearer'],
    ['a text with a space', 'Bearer a b'],
    ['an ApiKey without a name', `ApiKey ${NOBODY}`],
    ['an ApiKey of nothing', 'ApiKey :'],
  ])('is told that it is not valid: %s', async (_name, header) => {
    expect(await get('/read/', header)).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="airline", error="invalid_token"',
      json: { code: 'unauthenticated' },
    });
  });

  it('is refused with a valid token under the name of another', async () => {
    const mine = await issue();
    const other = await issue();
    expect((await get('/read/', `ApiKey ${other.name}:${mine.text}`)).status).toBe(401);
    expect((await get(`/read/?username=${other.name}&api_key=${mine.text}`)).status).toBe(401);
    expect((await get(`/read/?api_key=${mine.text}`)).status).toBe(401);
    await api.close();
    api = await serve();
    expect((await get('/read/', `ApiKey ${mine.name}:${mine.text}:more`)).status).toBe(401);
    expect((await get('/read/', `ApiKey ${mine.name}:${mine.text}`)).status).toBe(200);
  });

  it('is refused from the next request on when the token is revoked', async () => {
    const { id, text } = await issue();
    expect((await get('/read/', `Bearer ${text}`)).status).toBe(200);
    await database.AccessToken.revoke(id, { actor: 'somebody' });
    expect((await get('/read/', `Bearer ${text}`)).status).toBe(401);
  });

  it('is refused when the token has expired', async () => {
    let now = new Date();
    await api.close();
    api = await serve({ now: () => now });
    const { text } = await issue(['read'], new Date(now.getTime() + 1_000));
    expect((await get('/read/', `Bearer ${text}`)).status).toBe(200);
    now = new Date(now.getTime() + 1_000);
    expect((await get('/read/', `Bearer ${text}`)).status).toBe(401);
  });
});

describe('the scopes', () => {
  const allowed: Record<Scope, readonly Scope[]> = {
    read: ['read'],
    'ticket:write': ['ticket:write'],
    'build:write': ['build:write'],
    'landing:approve': ['landing:approve'],
    admin: SCOPES,
  };

  it.each(SCOPES)('let a token with %s do this and nothing else', async (scope) => {
    const { name, text } = await issue([scope]);
    for (const needed of SCOPES) {
      const answer = await get(`/${needed}/`, `Bearer ${text}`);
      if (allowed[scope].includes(needed)) expect(answer).toMatchObject({ status: 200 });
      else
        expect(answer).toMatchObject({
          status: 403,
          challenge: `Bearer realm="airline", error="insufficient_scope", scope="${needed}"`,
          json: {
            code: 'forbidden',
            error: `The token ${name} lacks the scope ${needed}.`,
          },
        });
    }
  });

  it('ask nobody where none is needed', async () => {
    expect((await get('/open/')).status).toBe(200);
    expect((await get('/open/', `Bearer ${NOBODY}`)).status).toBe(200);
  });

  it('are not asked for without authentication', async () => {
    await api.close();
    api = await serve({ mode: 'off' });
    const everybody = { name: 'anonymous', scopes: ['admin'], targets: ALL_TARGETS };
    for (const scope of SCOPES)
      expect(await get(`/${scope}/`)).toMatchObject({ status: 200, json: { actor: everybody } });
    expect((await get('/admin/', `Bearer ${NOBODY}`)).json.actor).toEqual(everybody);
    expect((await get(`/read/?username=a&api_key=${NOBODY}`)).json.url).toBe('/read/');
  });
});

it('calls no token wrong while the database is away, and serves what needs none', async () => {
  const { text } = await issue();
  const get503 = async () => {
    const answer = await get('/read/', `Bearer ${text}`);
    expect(answer).toMatchObject({ status: 503, json: { code: 'database_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('5');
  };
  expect((await get('/read/', `Bearer ${text}`)).status).toBe(200);
  wayToDatabase.close();
  try {
    await get503();
    await get503();
    expect((await get('/open/', `Bearer ${text}`)).status).toBe(200);
    expect((await get('/read/')).status).toBe(401);
  } finally {
    wayToDatabase.open();
  }
  expect((await get('/read/', `Bearer ${text}`)).status).toBe(200);
});

describe('many wrong tokens from one address', () => {
  const wrong = (headers?: Record<string, string>) => get('/read/', `Bearer ${NOBODY}`, headers);
  const statuses = async (count: number, from?: string) => {
    const seen: number[] = [];
    for (let turn = 0; turn < count; turn++)
      seen.push((await wrong(from === undefined ? {} : { 'x-forwarded-for': from })).status);
    return seen;
  };

  it('are answered 429 for a while, and valid ones pass', async () => {
    const { text } = await issue();
    expect(await statuses(MAX_FAILURES)).toEqual(Array(MAX_FAILURES).fill(401));
    const answer = await wrong();
    expect(answer).toMatchObject({ status: 429, challenge: null, json: { code: 'rate_limited' } });
    const waitS = Number(answer.headers.get('retry-after'));
    expect(waitS).toBeGreaterThan(0);
    expect(waitS).toBeLessThanOrEqual(WINDOW_MS / 1_000);
    expect((await wrong()).status).toBe(429);
    expect(api.log().match(/many wrong tokens came from one address/g)).toHaveLength(1);
    expect((await get('/read/', `Bearer ${text}`)).status).toBe(200);
    expect((await get('/read/')).status).toBe(401);
    const later = Date.now() + WINDOW_MS + 1;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => later);
    expect((await wrong()).status).toBe(401);
    clock.mockRestore();
  });

  it('are not excused by a header that anybody can send', async () => {
    expect(await statuses(MAX_FAILURES, '192.0.2.1')).toEqual([401, 401, 401]);
    expect(await statuses(1, '192.0.2.2')).toEqual([429]);
  });

  it('are those of the address that a trusted proxy names', async () => {
    await api.close();
    api = await serve({}, 1);
    expect(await statuses(MAX_FAILURES + 1, '192.0.2.1')).toEqual([401, 401, 401, 429]);
    expect(await statuses(1, '203.0.113.9, 192.0.2.1')).toEqual([429]);
    expect(await statuses(1, '192.0.2.1, 192.0.2.2')).toEqual([401]);
  });

  it('are those of a whole network in IPv6', async () => {
    await api.close();
    api = await serve({}, 1);
    expect(await statuses(2, '2001:db8::1')).toEqual([401, 401]);
    expect(await statuses(2, '2001:db8:0:0:ffff::2')).toEqual([401, 429]);
    expect(await statuses(1, '2001:db8:0:1::1')).toEqual([401]);
    expect(await statuses(1, '::ffff:192.0.2.7')).toEqual([401]);
  });
});
