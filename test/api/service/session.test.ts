import type { Scope } from '../../../domain/access/access.ts';
import { useApi, type TestApi } from '../serve.ts';

const HOUR_MS = 3_600_000;
const WORK = { actor: 'a test', requestId: undefined };
const PATH = '/api/v1/session/';
const NOBODY = { authentication: 'token', name: null, scopes: [], expires_at: null };

let api: TestApi;

/** Serves an API to the tests of a describe block. */
function serve(replaced: Parameters<typeof useApi>[0]): void {
  const served = useApi({ authentication: 'token', ...replaced });
  beforeAll(() => {
    api = served.now;
  });
  beforeEach(() => served.now.database.Session.destroy({ where: {} }));
}

let made = 0;
async function issue(scopes: readonly Scope[] = ['read']) {
  made += 1;
  const lifetimes = { defaultMs: HOUR_MS, maxMs: HOUR_MS };
  return api.database.AccessToken.issue({ name: `person-${made}`, scopes }, lifetimes, WORK);
}

const signIn = (token: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', PATH, { token }, headers);

/** The cookie that an answer gives, as the browser sends it back. */
function cookieOf({ headers }: { headers: Headers }): string {
  return (headers.getSetCookie().at(-1) ?? '').split(';')[0] ?? '';
}

/** Signs in with a new token. */
async function newSession(scopes?: readonly Scope[]) {
  const { text, row } = await issue(scopes);
  const answer = await signIn(text);
  return { text, row, answer, cookie: cookieOf(answer) };
}

const ask = (path: string, cookie: string, headers: Record<string, string> = {}) =>
  api.call('GET', path, undefined, { cookie, ...headers });
const age = (hours: number) =>
  api.database.sequelize.query(
    `UPDATE session SET last_used_at = last_used_at - interval '${hours} hours'`,
  );
const countSessions = () => api.database.Session.count();

describe('signing in', () => {
  serve({});

  it('tells who has signed in, and sets a cookie that no script reads and no other site sends', async () => {
    const { row, answer } = await newSession(['read', 'ticket:write']);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      authentication: 'token',
      name: row.name,
      scopes: ['read', 'ticket:write'],
      expires_at: row.expiresAt.toISOString(),
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^airline_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('keeps neither the token nor the cookie in any row', async () => {
    const { text, cookie } = await newSession();
    const [rows] = await api.database.sequelize.query('SELECT s::text AS row FROM session s');
    const all = JSON.stringify(rows);
    for (const secret of [text, cookie.replace('airline_session=', '')]) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it.each([[{}], [{ token: 7 }], [{ token: '' }], [{ token: null }]])(
    'with %j is 400',
    async (body) => {
      const answer = await api.call('POST', PATH, body);
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ code: 'invalid_field', fields: { token: [/\w/] } });
      expect(answer.headers.getSetCookie()).toEqual([]);
    },
  );

  it('with more than any token has is 413: all of it would be held before anybody is known', async () => {
    const answer = await signIn('a'.repeat(5_000));
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ code: 'too_large' });
  });

  it('with a wrong token is 401 without a cookie', async () => {
    const answer = await signIn(`airline_${'a'.repeat(43)}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await countSessions()).toBe(0);
  });

  it('again ends the session before', async () => {
    const { text, cookie } = await newSession();
    const next = cookieOf(await signIn(text, { cookie }));
    expect(next).not.toBe(cookie);
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(401);
    expect((await ask('/api/v1/ticket/', next)).status).toBe(200);
  });

  it('more often than 50 times ends the session that was not used for longest', async () => {
    const { text, cookie: first } = await newSession();
    await age(0.1);
    for (let time = 0; time < 50; time++) await signIn(text);
    expect(await countSessions()).toBe(50);
    expect((await ask('/api/v1/ticket/', first)).status).toBe(401);
  });
});

describe('signing in with wrong tokens', () => {
  serve({ limits: { authenticationFailures: { max: 3, windowMs: 60_000 } } });

  it('is refused with 429 after some, and a right one still passes', async () => {
    const { text } = await issue();
    const statuses = [];
    for (let time = 0; time < 5; time++)
      statuses.push((await signIn(`airline_${'b'.repeat(43)}`)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const refused = await signIn('no token at all');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await signIn(text)).status).toBe(201);
  });
});

describe('a session', () => {
  serve({});

  it('counts as its token, with its scopes and its name', async () => {
    const { row, cookie } = await newSession(['read', 'ticket:write']);
    expect((await ask('/api/v1/token/self/', cookie)).json).toMatchObject({ name: row.name });
    const ticket = { owner: 'a@airline.example', title: 'A fix' };
    const added = await api.call('POST', '/api/v1/ticket/', ticket, { cookie });
    expect(added.status).toBe(201);
    expect((await ask('/api/v1/token/', cookie)).status).toBe(403);
    const path = added.headers.get('location') ?? '';
    const step = { current_workflow_step: '200' };
    await api.call('PATCH', path, step, { cookie });
    expect((await ask(`${path}history/`, cookie)).json.objects).toMatchObject([
      { actor: row.name },
    ]);
  });

  it('is told by GET, to callers with one and without one', async () => {
    const { row, cookie } = await newSession();
    expect((await ask(PATH, cookie)).json).toMatchObject({ name: row.name, scopes: ['read'] });
    for (const other of ['', 'airline_session=', `airline_session=${'x'.repeat(43)}`]) {
      const answer = await ask(PATH, other);
      expect(answer).toMatchObject({ status: 200, json: NOBODY });
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });

  it('gives way to a token in the header', async () => {
    const { cookie } = await newSession(['admin']);
    const { text, row } = await issue(['read']);
    const headers = { authorization: `Bearer ${text}` };
    expect((await ask('/api/v1/token/self/', cookie, headers)).json.name).toBe(row.name);
    expect((await ask(PATH, cookie, headers)).json.name).toBe(row.name);
    expect((await ask('/api/v1/token/', cookie, headers)).status).toBe(403);
    const wrong = { authorization: `Bearer airline_${'c'.repeat(43)}` };
    expect((await ask('/api/v1/ticket/', cookie, wrong)).status).toBe(401);
  });

  it('ends with the revocation of its token, and the browser is told to forget it', async () => {
    const { row, cookie } = await newSession();
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(200);
    await api.database.AccessToken.revoke(row.id, WORK);
    const refused = await ask('/api/v1/ticket/', cookie);
    expect(refused.status).toBe(401);
    expect(refused.headers.getSetCookie()).toEqual([
      'airline_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect((await ask(PATH, cookie)).json).toEqual(NOBODY);
  });

  it('ends when its token expires', async () => {
    const { row, cookie } = await newSession();
    await api.database.sequelize.query(
      `UPDATE access_token SET expires_at = now() - interval '1 second' WHERE id = ${row.id}`,
    );
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(401);
  });

  it('ends when it was not used for the idle time, and each use begins it anew', async () => {
    const { cookie } = await newSession();
    await age(0.9);
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(200);
    await age(0.9);
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(200);
    await age(1);
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(401);
  });

  it('that is over is removed when somebody signs in', async () => {
    await newSession();
    await age(2);
    await newSession();
    expect(await countSessions()).toBe(1);
  });

  it('ends with signing out, here and for a copy of the cookie', async () => {
    const { cookie } = await newSession();
    const out = await api.call('DELETE', PATH, undefined, { cookie });
    expect(out).toMatchObject({ status: 204, text: '' });
    expect(out.headers.getSetCookie()).toEqual([
      'airline_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect((await ask('/api/v1/ticket/', cookie)).status).toBe(401);
    expect((await api.call('DELETE', PATH, undefined, { cookie })).status).toBe(204);
  });
});

describe('a session, for a page of an allowed origin', () => {
  const allowed = 'https://tickets.example.org';
  serve({ corsOrigins: [allowed] });

  it('changes nothing: the page calls with a token of its own', async () => {
    const { text, cookie } = await newSession(['ticket:write']);
    const ticket = { owner: 'a@airline.example', title: 'A fix' };
    const from = { origin: allowed, 'sec-fetch-site': 'same-site', cookie };
    expect((await api.call('POST', '/api/v1/ticket/', ticket, from)).status).toBe(401);
    const withToken = { ...from, authorization: `Bearer ${text}` };
    expect((await api.call('POST', '/api/v1/ticket/', ticket, withToken)).status).toBe(201);
  });
});

const SECURE: readonly [string, Parameters<typeof useApi>[0], Record<string, string>][] = [
  ['where a trusted proxy says so', { trustedProxies: 1 }, { 'x-forwarded-proto': 'https' }],
  ['where the public address says so', { sessions: { idleMs: HOUR_MS, isAlwaysSecure: true } }, {}],
];

describe.each(SECURE)('a session over HTTPS, %s', (_, replaced, headers) => {
  serve(replaced);

  it('has a cookie that goes nowhere else', async () => {
    const { text } = await issue();
    const [cookie] = (await signIn(text, headers)).headers.getSetCookie();
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
  });
});

describe('without authentication', () => {
  serve({ authentication: 'off' });

  it('nobody signs in, and everybody may do everything', async () => {
    const everybody = { authentication: 'off', name: null, scopes: ['admin'], expires_at: null };
    expect((await api.call('GET', PATH)).json).toEqual(everybody);
    const answer = await signIn('anything');
    expect(answer).toMatchObject({ status: 201, json: everybody });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await api.call('DELETE', PATH)).status).toBe(204);
  });
});
