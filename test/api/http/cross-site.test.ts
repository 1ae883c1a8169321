import { addBuild } from '../../support/rows.ts';
import { useApi, type TestApi } from '../serve.ts';

const ALLOWED = 'https://tickets.example.org';
const TICKET = { owner: 'a@airline.example', title: 'A fix' };

/** What a browser says of a request that a page of another site has it make. */
const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another host of this site', { origin: 'http://a.example', 'sec-fetch-site': 'same-site' }],
  ['another site, over plain HTTP', { origin: 'http://evil.example' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['another port of this host', { origin: 'http://127.0.0.1:1' }],
  ['no origin that can be told', { 'sec-fetch-site': 'cross-site' }],
];

async function headersOfAdmin(api: TestApi): Promise<Record<string, string>> {
  const lifetimes = { defaultMs: 3_600_000, maxMs: 3_600_000 };
  const request = { name: 'admin', scopes: ['admin'] as const };
  const { text } = await api.database.AccessToken.issue(request, lifetimes, { actor: 'a test' });
  const { headers } = await api.call('POST', '/api/v1/session/', { token: text });
  return { cookie: (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
}

describe.each(['off', 'token'] as const)('with AIRLINE_AUTH=%s', (authentication) => {
  const api = useApi({ authentication, corsOrigins: [ALLOWED] });
  let signedIn: Record<string, string> = {};
  beforeAll(async () => {
    if (authentication === 'token') signedIn = await headersOfAdmin(api.now);
  });

  it.each(FOREIGN)('%s has nothing changed, with a body or without', async (_, headers) => {
    const build = await addBuild(api.now.database);
    const sent = { ...signedIn, ...headers };
    for (const [method, path, body] of [
      ['POST', `/api/v1/build/${build.id}/cancel/`, undefined],
      ['POST', '/api/v1/ticket/', TICKET],
      ['PATCH', `/api/v1/ticket/${build.ticketId}/`, { title: 'Another' }],
      ['DELETE', `/api/v1/ticket/${build.ticketId}/`, undefined],
      ['DELETE', '/api/v1/session/', undefined],
      ['POST', '/api/v1/session/', { token: 'x' }],
    ] as const) {
      const answer = await api.now.call(method, path, body, sent);
      expect({ method, path, status: answer.status, code: answer.json?.code }).toEqual({
        method,
        path,
        status: 403,
        code: 'cross_site_refused',
      });
    }
    await build.reload();
    expect(build.cancelRequestedAt).toBeNull();
  });

  it('a form of another site that means another method is refused, too', async () => {
    const build = await addBuild(api.now.database);
    const headers = { origin: 'https://evil.example', 'x-http-method-override': 'DELETE' };
    const path = `/api/v1/ticket/${build.ticketId}/`;
    const answer = await api.now.call('POST', path, undefined, { ...signedIn, ...headers });
    expect(answer.status).toBe(403);
  });

  it('a link from another site is followed', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await api.now.call('GET', '/', undefined, headers)).status).toBe(200);
    const read = await api.now.call('GET', '/api/v1/ticket/', undefined, {
      ...signedIn,
      ...headers,
    });
    expect(read.status).toBe(200);
  });

  it('its own pages, and what is no page, change what they may', async () => {
    const own = new URL(api.now.url).origin;
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin', origin: own },
      { origin: own },
      { 'sec-fetch-site': 'none' },
    ]) {
      const build = await addBuild(api.now.database);
      const path = `/api/v1/build/${build.id}/cancel/`;
      const answer = await api.now.call('POST', path, undefined, { ...signedIn, ...headers });
      expect({ headers, status: answer.status }).toEqual({ headers, status: 202 });
    }
  });

  it('a page of an allowed origin gets as far as its token does', async () => {
    const headers = { origin: ALLOWED, 'sec-fetch-site': 'cross-site' };
    const { status } = await api.now.call('POST', '/api/v1/ticket/', TICKET, headers);
    expect(status).toBe(authentication === 'off' ? 201 : 401);
  });
});

describe('behind a proxy', () => {
  const api = useApi({ trustedProxies: 1 });

  it('the host that callers see counts', async () => {
    const forwarded = { 'x-forwarded-host': 'airline.example', 'x-forwarded-proto': 'https' };
    const call = (origin: string) =>
      api.now.call('POST', '/api/v1/ticket/', TICKET, { ...forwarded, origin });
    expect((await call('https://airline.example')).status).toBe(201);
    expect((await call('https://evil.example')).status).toBe(403);
  });
});
