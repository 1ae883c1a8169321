import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Scope } from '../../domain/access/access.ts';
import { createFileStore } from '../../store/file.ts';
import { addUntoldBuild } from '../support/rows.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { createWorld } from '../support/world.ts';
import { LIMITS, useApi, type TestApi } from './serve.ts';

const STREAM_MS = 15 * 60_000;

/** The headers of a new token. */
async function newCaller({ database }: TestApi, name: string, scope: Scope) {
  const { text } = await database.AccessToken.issue(
    { name, scopes: [scope] },
    LIMITS.tokenLifetimes,
    { actor: 'a test' },
  );
  return { authorization: `Bearer ${text}` };
}

describe('an API that limits the requests and the streams of each token', () => {
  const api = useApi({
    authentication: 'token',
    limits: {
      rate: { requests: 3, windowMs: 3_600_000 },
      streams: { ...LIMITS.streams, maxOfToken: 1 },
    },
  });
  const { get, post } = createWorld(api);

  const caller = (name: string) => newCaller(api.now, name, 'read');
  /** Follows the events of a build that goes on, once for each of the callers. */
  const follow = async (...callers: Record<string, string>[]) => {
    const { id } = await addUntoldBuild(api.now.database);
    const url = `${api.now.url}/api/v1/build/${id}/events/`;
    const answers: Response[] = [];
    for (const headers of callers)
      answers.push(await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }));
    return answers;
  };

  it('refuses the requests of one that has made too many, and of no other', async () => {
    const busy = await caller('busy');
    for (const left of [2, 1, 0]) {
      const { status, headers } = await get('ticket/', busy);
      expect({ status, left: headers.get('ratelimit') }).toEqual({
        status: 200,
        left: expect.stringContaining(`r=${left};`),
      });
    }
    expect(await get('ticket/', busy)).toMatchObject({
      status: 429,
      json: { code: 'rate_limited' },
    });
    expect((await get('ticket/', await caller('quiet'))).status).toBe(200);
    // A page asks it whether it has to sign in.
    expect((await get('session/', busy)).status).toBe(200);
  });

  it('counts the requests for which one lacks the scope, too', async () => {
    const wild = await caller('wild');
    const answers = [];
    for (let time = 0; time < 4; time++)
      answers.push(await post('ticket/', { owner: 'a@b', title: 't' }, wild));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 429]);
    expect(answers[0]?.headers.get('ratelimit')).toContain('r=2;');
  });

  it('opens one with too many streams no other, but each other one its own', async () => {
    const [one, other] = [await caller('one'), await caller('other')];
    const streams = await follow(one, one, other);
    expect(streams.map(({ status }) => status)).toEqual([200, 503, 200]);
    for (const { body } of streams) await body?.cancel();
  });

  it('ends each stream after a quarter of an hour: one that is revoked by then has no other', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const revoked = await caller('revoked');
    const [stream] = await follow(revoked);
    const [end] = timers.mock.calls.find(([, afterMs]) => afterMs === STREAM_MS) ?? [];
    timers.mockRestore();
    const { AccessToken } = api.now.database;
    const token = await AccessToken.named('revoked');
    await AccessToken.revoke(token?.id ?? 0, { actor: 'a test' });
    expect(end).toBeDefined();
    end?.();
    await stream?.text();
    const [again] = await follow(revoked);
    expect(again?.status).toBe(401);
  });
});

describe('an API that takes two files at once', () => {
  const kept = createFileStore({
    directory: temporaryDirectory(),
    baseUrl: 'http://127.0.0.1/store',
  });
  let begun = 0;
  const api = useApi({
    authentication: 'token',
    limits: { storeWrites: 2 },
    store: {
      ...kept,
      put: (...given) => {
        begun += 1;
        return kept.put(...given);
      },
    },
  });
  const urlOf = (name: string) => `${api.now.url}/store/uploads/${name}/file`;

  it('takes one from each token, and leaves the other to others', async () => {
    const one = await newCaller(api.now, 'one', 'ticket:write');
    const other = await newCaller(api.now, 'other', 'ticket:write');
    const send = async (name: string, headers: Record<string, string>) =>
      (await fetch(urlOf(name), { method: 'PUT', body: 'ab', headers })).json();
    const first = request(urlOf('first'), {
      method: 'PUT',
      headers: { ...one, 'content-length': 2 },
      agent: false,
    });
    first.write('a');
    await until('its first file comes in', () => begun === 1);

    expect(await send('second', one)).toMatchObject({
      code: 'overloaded',
      error: 'Files being stored for one: 1, as many as there may be at once.',
    });
    expect(await send('third', other)).toMatchObject({ size_bytes: 2 });
    first.end('b');
    const [answer] = (await once(first, 'response')) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(201);
    expect(await send('second', one)).toMatchObject({ size_bytes: 2 });
  });
});
