import { request as requestHttp } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Scope } from '../../../domain/access/access.ts';
import { until } from '../../support/until.ts';
import { useApi } from '../serve.ts';

const HOUR_MS = 3_600_000;
const TESTER = { actor: 'a test' };

const api = useApi({ authentication: 'token' });
let made = 0;
afterEach(() => jest.restoreAllMocks());

async function issue(scopes: readonly Scope[]) {
  made += 1;
  const lifetimes = { defaultMs: HOUR_MS, maxMs: HOUR_MS };
  const name = `caller-${made}`;
  const { text, row } = await api.now.database.AccessToken.issue(
    { name, scopes },
    lifetimes,
    TESTER,
  );
  return { name, text, id: row.id };
}

type Token = Awaited<ReturnType<typeof issue>>;

/** The look-ups of tokens, and of sessions, from now on. */
function watchLookUps() {
  const { AccessToken, Session } = api.now.database;
  jest.restoreAllMocks();
  const looks = [jest.spyOn(AccessToken, 'findValid'), jest.spyOn(Session, 'findToken')];
  return () => looks.flatMap(({ mock }) => mock.results.map(({ value }) => value));
}

/**
 * Sends a request but for the last byte of its body, and lets time for `meanwhile` once its caller is known.
 *
 * @returns the answer to the whole request
 */
async function hold(
  { method = 'POST', path = '/api/v1/token/', body = '', headers = {} },
  meanwhile: () => Promise<unknown>,
) {
  const lookUps = watchLookUps();
  const sent = requestHttp(api.now.url + path, {
    method,
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
  });
  const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { statusCode: status } = response;
      void textOf(response).then((text) => resolve({ status, text }), reject);
    });
  });
  sent.write(body.slice(0, -1));
  await Promise.all(await until('the caller is known', () => lookUps().length > 0 && lookUps()));
  await meanwhile();
  sent.end(body.slice(-1));
  return answered;
}

const newToken = (name: string) => JSON.stringify({ name, scopes: ['admin'] });
const isMade = async (name: string) => (await api.now.database.AccessToken.named(name)) !== null;
const bearer = ({ text }: Token) => ({ authorization: `Bearer ${text}` });

async function cookie({ id }: Token) {
  return { cookie: `airline_session=${await api.now.database.Session.begin(id, HOUR_MS)}` };
}

describe('a request whose body comes late', () => {
  it.each([
    ['a bearer token', async (token: Token) => ({ headers: bearer(token) })],
    [
      'an ApiKey',
      async ({ name, text }: Token) => ({ headers: { authorization: `ApiKey ${name}:${text}` } }),
    ],
    [
      'the query of old clients',
      async ({ name, text }: Token) => ({
        path: `/api/v1/token/?username=${name}&api_key=${text}`,
      }),
    ],
    ['a session', async (token: Token) => ({ headers: await cookie(token) })],
  ])('does nothing where its token was revoked meanwhile: %s', async (_, show) => {
    const token = await issue(['admin']);
    const name = `late-${made}`;
    const request = { body: newToken(name), ...(await show(token)) };
    const { status, text } = await hold(request, () =>
      api.now.database.AccessToken.revoke(token.id, TESTER),
    );
    expect({ status, code: JSON.parse(text).code }).toEqual({
      status: 401,
      code: 'unauthenticated',
    });
    expect(await isMade(name)).toBe(false);
    // With a token that is still valid, the same is done.
    const other = await issue(['admin']);
    const done = await hold({ ...request, ...(await show(other)) }, async () => undefined);
    expect(done.status).toBe(201);
    expect(await isMade(name)).toBe(true);
  });

  it('does nothing where its token has expired meanwhile', async () => {
    const token = await issue(['admin']);
    const request = { body: newToken('expired'), headers: bearer(token) };
    const { status } = await hold(request, () =>
      api.now.database.AccessToken.update({ expiresAt: new Date() }, { where: { id: token.id } }),
    );
    expect(status).toBe(401);
    expect(await isMade('expired')).toBe(false);
  });

  it('does nothing where its session was ended meanwhile', async () => {
    const headers = await cookie(await issue(['admin']));
    const { status } = await hold({ body: newToken('signed-out'), headers }, () =>
      api.now.call('DELETE', '/api/v1/session/', undefined, headers),
    );
    expect(status).toBe(401);
    expect(await isMade('signed-out')).toBe(false);
  });

  it('stores no file where its token was revoked meanwhile', async () => {
    const token = await issue(['ticket:write']);
    const reader = bearer(await issue(['read', 'ticket:write']));
    const path = '/store/uploads/late/file';
    const request = { method: 'PUT', path, body: 'a file', headers: bearer(token) };
    const { status } = await hold(request, () =>
      api.now.database.AccessToken.revoke(token.id, TESTER),
    );
    expect(status).toBe(401);
    expect((await fetch(api.now.url + path, { headers: reader })).status).toBe(404);
    const done = await hold({ ...request, headers: reader }, async () => undefined);
    expect(done.status).toBe(201);
  });
});

it('looks a token up once where the whole request is there by then', async () => {
  const headers = bearer(await issue(['admin']));
  const lookUps = watchLookUps();
  const given = { name: 'at-once', scopes: ['read'] };
  expect((await api.now.call('POST', '/api/v1/token/', given, headers)).status).toBe(201);
  expect(lookUps()).toHaveLength(1);
});
