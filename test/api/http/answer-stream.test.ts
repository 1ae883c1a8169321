import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import Koa from 'koa';
import pino from 'pino';
import { ALL_TARGETS } from '../../../domain/access/target-rule.ts';
import { answerStream } from '../../../api/http/answer-stream.ts';
import type { ApiContext, RequestState } from '../../../api/http/context.ts';
import type { Places } from '../../../api/http/places.ts';
import { eventsOfBuild } from '../../../api/builds/build-events.ts';
import { streamEvents } from '../../../api/requests/event-stream.ts';
import { addUntoldBuild } from '../../support/rows.ts';
import { useDatabase } from '../../models/use-database.ts';
import { until } from '../../support/until.ts';
import { useKoa } from '../serve-koa.ts';

const NEVER_MS = 60_000;

describe('the place of an event stream', () => {
  const database = useDatabase(2);
  let open: Places['taken'];
  let maxMs: number;
  let token: string;
  let subscriptions = 0;
  let buildId = 0;
  /** What the request waits for before it is answered, as for the row of its build. */
  let ready: (ctx: Koa.Context) => Promise<unknown>;
  let written: ((output: Writable) => void) | undefined;

  const app = new Koa<RequestState>();
  app.silent = true;
  app.use(async (ctx) => {
    ctx.state.logger = () => pino({ level: 'silent' });
    await ready(ctx);
    const stopping = new AbortController().signal;
    ctx.state.actor = { name: token, scopes: ['read'], targets: ALL_TARGETS };
    const places = { of: 'Event streams open', max: 3, maxOfToken: 1, taken: open };
    answerStream(ctx as ApiContext, { places, maxMs, stopping }, (output, signal) => {
      written?.(output);
      const feed = {
        subscribe: () => {
          subscriptions += 1;
          return () => (subscriptions -= 1);
        },
        subscribeToChanges: () => () => {},
        close: async () => {},
      };
      const intervals = { heartbeatMs: NEVER_MS, pollMs: NEVER_MS };
      return streamEvents(
        eventsOfBuild({ database: database.now, feed }, buildId),
        { after: 0, intervals, withPresentAddresses: (json) => json },
        output,
        signal,
      );
    });
  });
  const served = useKoa(app);

  beforeEach(async () => {
    buildId = (await addUntoldBuild(database.now)).id;
    await database.now.ProgressEvent.record({ buildId, key: 'started', message: 'STARTED' });
    ready = () => Promise.resolve();
    written = undefined;
    open = { count: 0, ofToken: new Map() };
    maxMs = NEVER_MS;
    token = 'ada';
    subscriptions = 0;
  });
  const isFree = () =>
    until(
      'nothing is open',
      () => open.count === 0 && open.ofToken.size === 0 && subscriptions === 0,
    );

  it('is free again when its client has gone before the answer began', async () => {
    const client = request(served.url).on('error', () => {});
    const answered = new Promise<void>((resolve) => {
      ready = async (ctx) => {
        const closed = once(ctx.res, 'close');
        client.destroy();
        await closed;
        setImmediate(resolve);
      };
    });
    client.end();
    await answered;
    await isFree();
  });

  it('is free again when its client goes while it is open', async () => {
    const client = request(served.url)
      .on('error', () => {})
      .end();
    await once(client, 'response');
    await until('it is open', () => open.count === 1 && subscriptions === 1);
    client.destroy();
    await isFree();
  });

  it('is free again when its client goes while it waits for the answer to an earlier request', async () => {
    const client = connect(Number(new URL(served.url).port), '127.0.0.1').resume();
    const ask = () => client.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    ask();
    await until('one is open', () => open.count === 1);
    token = 'bea';
    ask();
    await until('both are open', () => open.count === 2 && subscriptions === 2);
    client.destroy();
    await isFree();
  });

  it('is free again when its output is cut, though the client is there', async () => {
    const cut = new Promise<Writable>((resolve) => (written = resolve));
    const client = request(served.url)
      .on('error', () => {})
      .end();
    const output = await cut;
    await until('it is open', () => open.count === 1 && subscriptions === 1);
    output.destroy();
    await isFree();
    client.destroy();
  });

  it('is free again when it was open for the longest time, and its client may come back', async () => {
    maxMs = 50;
    for (const _ of ['first', 'again']) {
      const answer = await fetch(served.url);
      expect(await answer.text()).toContain('event: STARTED');
      await isFree();
    }
  });

  it('is free again at once when only the head of the answer is asked for', async () => {
    expect((await fetch(served.url, { method: 'HEAD' })).status).toBe(200);
    await isFree();
  });

  it('is none of another token’s', async () => {
    const gone = new AbortController();
    const follow = () => fetch(served.url, { signal: gone.signal });
    expect((await follow()).status).toBe(200);
    // The app of this test answers every error with 500.
    expect((await follow()).status).toBe(500);
    token = 'bea';
    expect((await follow()).status).toBe(200);
    expect(Object.fromEntries(open.ofToken)).toEqual({ ada: 1, bea: 1 });
    gone.abort();
    await isFree();
  });
});
