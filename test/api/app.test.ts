import { addUntoldBuild } from '../support/rows.ts';
import { createWorld } from '../support/world.ts';
import { LIMITS, useApi } from './serve.ts';

const STREAM_MS = 15 * 60_000;

describe('an API that limits the requests and the streams of each token', () => {
  const api = useApi({
    authentication: 'token',
    limits: {
      rate: { requests: 3, windowMs: 3_600_000 },
      streams: { ...LIMITS.streams, maxOfToken: 1 },
    },
  });
  const { get } = createWorld(api);

  const caller = async (name: string) => {
    const { text } = await api.now.database.AccessToken.issue(
      { name, scopes: ['read'] },
      LIMITS.tokenLifetimes,
      { actor: 'a test' },
    );
    return { authorization: `Bearer ${text}` };
  };
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
