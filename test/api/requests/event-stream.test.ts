import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import type { WorkerMessage } from '../../../domain/builds/progress.ts';
import type { Build } from '../../../models/builds/build.ts';
import { addBuild, addLanding, addUntoldBuild, retryBuild } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { cutListeners } from '../cut-listeners.ts';
import { useApi, type TestApi } from '../serve.ts';

const NEVER_MS = 60_000;
const withStreams = (streams: { heartbeatMs: number; pollMs: number; max: number }) => ({
  bodyMaxBytes: 100_000,
  storeMaxBytes: 1_000_000,
  probeTimeoutMs: 20_000,
  retryAfterS: 5,
  streams,
});
const eventsOf = (build: Build) => `/api/v1/build/${build.id}/events/`;
const report = (
  { database }: TestApi,
  build: Build,
  key: string,
  message: WorkerMessage = 'INPROGRESS',
) => database.ProgressEvent.record({ buildId: build.id, key, message });

type Event = { id: string; event: string; data: { attempt: number; seq: number } };

/** Reads a stream of events until it ends, or until `watch`, called for everything that came, says `leave`. */
async function readStream(
  url: URL,
  watch: (events: Event[], text: string) => 'leave' | void = () => {},
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: AbortSignal.timeout(60_000),
  });
  let text = '';
  let events: Event[] = [];
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    events = [...text.matchAll(/id: (.*)\n(?:event: (.*)\n)?data: (.*)\n\n/g)].map(
      ([, id = '', event = '', data = '']) => ({ id, event, data: JSON.parse(data) }),
    );
    if (watch(events, text) === 'leave') break;
  }
  return { response, events, text };
}

/** Does something once, when the first event has come. */
function afterFirst(action: () => unknown): (events: Event[]) => void {
  let isDone = false;
  return (events) => {
    if (events.length === 0 || isDone) return;
    isDone = true;
    action();
  };
}

describe('the list of events', () => {
  const api = useApi();

  it('gives them after a seq, in order, with the way on', async () => {
    const build = await addUntoldBuild(api.now.database);
    for (const key of ['a', 'b', 'c']) await report(api.now, build, key);
    const all = await api.now.call('GET', eventsOf(build));
    expect(all.json.meta).toEqual({
      limit: 1000,
      next: null,
      offset: 0,
      previous: null,
      total_count: 3,
    });
    expect(all.json.objects.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
    const page = await api.now.call('GET', `${eventsOf(build)}?after=1&limit=1`);
    expect(page.json.objects).toMatchObject([{ seq: 2, state: 'STATUS', build_id: build.id }]);
    expect(page.json.meta).toMatchObject({
      limit: 1,
      next: `${eventsOf(build)}?after=2&limit=1`,
    });
  });

  it('begins with the acceptance; as it has no worker message, its event in a stream has no name', async () => {
    const build = await addBuild(api.now.database);
    await report(api.now, build, 'end', 'COMPLETE');
    const { text } = await readStream(new URL(eventsOf(build), api.now.url));
    const [first, last] = text.split('\n\n');
    expect(first).toMatch(/^id: 1\ndata: \{.*\}$/);
    expect(first).toContain('"message":null');
    expect(last).toMatch(/^id: 2\nevent: COMPLETE\ndata: \{.*\}$/);
  });

  it.each(['-1', 'x', '1.5', '', '2147483648'])('refuses after=%s with 400', async (after) => {
    const build = await addUntoldBuild(api.now.database);
    const answer = await api.now.call('GET', `${eventsOf(build)}?after=${after}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: 'after is not a whole number of 0 to 2147483647.',
      code: 'invalid_field',
    });
  });

  it('refuses to skip some by offset, and says what pages them', async () => {
    const build = await addUntoldBuild(api.now.database);
    await report(api.now, build, 'a');
    const answer = await api.now.call('GET', `${eventsOf(build)}?offset=1`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: 'invalid_field',
      error: expect.stringContaining('after'),
    });
    const first = await api.now.call('GET', `${eventsOf(build)}?offset=0`);
    expect(first.json.objects).toMatchObject([{ seq: 1 }]);
  });

  it('is answered 404 where there is no such build', async () => {
    expect((await api.now.call('GET', '/api/v1/build/999999/events/')).status).toBe(404);
  });
});

describe('the stream of events', () => {
  // Nothing is polled: what comes in time came by notification.
  const api = useApi({
    limits: withStreams({ heartbeatMs: NEVER_MS, pollMs: NEVER_MS, max: 3 }),
  });
  const urlOf = (build: Build) => new URL(eventsOf(build), api.now.url);

  it('sends what there is, then what comes, and ends after the final event', async () => {
    const build = await addUntoldBuild(api.now.database);
    await report(api.now, build, 'started', 'STARTED');
    const { response, events } = await readStream(
      urlOf(build),
      afterFirst(() =>
        report(api.now, build, 'look').then(() => report(api.now, build, 'final', 'COMPLETE')),
      ),
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'STARTED'],
      ['2', 'INPROGRESS'],
      ['3', 'COMPLETE'],
    ]);
    expect(events.at(-1)?.data).toMatchObject({ state: 'COMPLETED', exit: true, seq: 3 });
  });

  it('sends those of a landing in the same way, until its latest attempt has ended', async () => {
    const { id } = await addLanding(api.now.database);
    const record = (key: string, phase: LandingPhase) =>
      api.now.database.LandingEvent.record({ landingId: id, attempt: 1, key, phase });
    await record('1', 'queued');
    const url = new URL(`/api/v1/landing/${id}/events/`, api.now.url);
    const { response, events } = await readStream(
      url,
      afterFirst(() => record('2', 'building').then(() => record('3', 'complete'))),
    );
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(events.map(({ id: seq, event, data }) => [seq, event, data])).toEqual([
      ['1', '', expect.objectContaining({ landing_id: id, phase: 'queued' })],
      ['2', '', expect.objectContaining({ phase: 'building' })],
      ['3', '', expect.objectContaining({ phase: 'complete', exit: true })],
    ]);
    const again = await readStream(url, undefined, { 'last-event-id': '3' });
    expect(again.response.status).toBe(204);
  });

  it('loses and repeats nothing, however often a client comes back with Last-Event-ID', async () => {
    const build = await addUntoldBuild(api.now.database);
    const count = 60;
    const recording = (async () => {
      for (let index = 1; index < count; index++) await report(api.now, build, `look-${index}`);
      await report(api.now, build, 'final', 'COMPLETE');
    })();
    const seen: number[] = [];
    while (seen.at(-1) !== count) {
      const { events } = await readStream(
        urlOf(build),
        (now) => (now.length >= 7 ? 'leave' : undefined),
        { 'last-event-id': String(seen.at(-1) ?? 0) },
      );
      seen.push(...events.map(({ data }) => data.seq));
    }
    await recording;
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  it('tells a client that has everything not to come back', async () => {
    const build = await addUntoldBuild(api.now.database);
    await report(api.now, build, 'final', 'FAILURE');
    const { response } = await readStream(urlOf(build), undefined, { 'last-event-id': '1' });
    expect(response.status).toBe(204);
  });

  it('goes on after the final event of an attempt that was retried since', async () => {
    const build = await addUntoldBuild(api.now.database);
    await report(api.now, build, 'first-end', 'FAILURE');
    await retryBuild(api.now.database, build);
    const { events } = await readStream(
      new URL('?after=0', urlOf(build)),
      afterFirst(() =>
        api.now.database.ProgressEvent.record({
          buildId: build.id,
          attempt: 2,
          key: 'second-end',
          message: 'COMPLETE',
        }),
      ),
    );
    expect(events.map(({ data: { attempt, seq } }) => `${attempt}:${seq}`)).toEqual([
      '1:1',
      '2:2',
      '2:3',
    ]);
  });

  it('survives the loss of its database connection', async () => {
    const build = await addUntoldBuild(api.now.database);
    await report(api.now, build, 'started', 'STARTED');
    const { events } = await readStream(
      urlOf(build),
      afterFirst(() =>
        cutListeners(api.now.databaseUrl).then(() => report(api.now, build, 'final', 'COMPLETE')),
      ),
    );
    expect(events.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('is refused with 503 while too many are open', async () => {
    const build = await addUntoldBuild(api.now.database);
    const headers = { accept: 'text/event-stream' };
    const open = await Promise.all([1, 2, 3].map(() => fetch(urlOf(build), { headers })));
    const refused = await api.now.call('GET', eventsOf(build), undefined, headers);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.json).toMatchObject({ code: 'overloaded' });

    for (const { body } of open) await body?.cancel();
    await report(api.now, build, 'final', 'COMPLETE');
    await until('there is room again', async () => {
      const { status } = await api.now.call('GET', eventsOf(build), undefined, headers);
      if (status !== 503) expect(status).toBe(200);
      return status === 200;
    });
  });
});

describe('the stream of events without notifications', () => {
  const api = useApi({
    limits: withStreams({ heartbeatMs: 30, pollMs: 20, max: 1 }),
    feed: { subscribe: () => () => {}, subscribeToChanges: () => () => {}, close: async () => {} },
  });

  it('looks at the table by itself, and sends heartbeats', async () => {
    const build = await addUntoldBuild(api.now.database);
    let isReported = false;
    const { events, text } = await readStream(new URL(eventsOf(build), api.now.url), (_, soFar) => {
      if (isReported || !soFar.includes(': heartbeat')) return;
      isReported = true;
      void report(api.now, build, 'final', 'COMPLETE');
    });
    expect(text).toContain(': heartbeat\n\n');
    expect(events.map(({ id }) => id)).toEqual(['1']);
  });
});

describe('the stream of events of an API that stops', () => {
  const api = useApi();

  it('ends, so that its client comes back elsewhere', async () => {
    const build = await addUntoldBuild(api.now.database);
    await report(api.now, build, 'started', 'STARTED');
    const { events } = await readStream(
      new URL(eventsOf(build), api.now.url),
      afterFirst(() => api.now.stop.abort()),
    );
    expect(events).toHaveLength(1);
  });
});
