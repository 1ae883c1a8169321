import { PassThrough } from 'node:stream';
import { streamChanges } from '../../../api/service/change-stream.ts';
import type { ChangeListener } from '../../../models/events/progress-feed.ts';
import { addBuild, addLanding, report } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { createWorld, type Resource } from '../../support/world.ts';
import { cutListeners } from '../cut-listeners.ts';
import { useApi, type TestApi } from '../serve.ts';

const NEVER_MS = 60_000;
const STREAMS = { heartbeatMs: NEVER_MS, pollMs: NEVER_MS, max: 3 };

type Told = {
  event: string;
  data: { ticket?: number[]; build?: number[]; landing?: number[]; heartbeat_ms?: number };
};

function eventsIn(text: string): Told[] {
  return [...text.matchAll(/event: (.*)\ndata: (.*)\n\n/g)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data) as Told['data'],
  }));
}

/** Follows the changes until `stop`. */
async function follow(api: TestApi) {
  const gone = new AbortController();
  const response = await fetch(new URL('/api/v1/changes/', api.url), { signal: gone.signal });
  const seen = { text: '', events: [] as Told[], atMs: [] as number[] };
  const reading = (async () => {
    for await (const chunk of response.body ?? []) {
      seen.text += Buffer.from(chunk as Uint8Array).toString();
      const events = eventsIn(seen.text);
      while (seen.atMs.length < events.length) seen.atMs.push(performance.now());
      seen.events = events;
    }
  })().catch(() => undefined);
  await until('the stream is ready', () => seen.events.some(({ event }) => event === 'ready'));
  return {
    response,
    seen,
    ids: (kind: 'ticket' | 'build' | 'landing') =>
      new Set(seen.events.flatMap(({ data }) => data[kind] ?? [])),
    stop: async () => {
      gone.abort();
      await reading;
    },
  };
}

describe('the stream of changes', () => {
  const api = useApi({ limits: { streams: STREAMS, changesMs: 30 } });
  const world = createWorld(api);
  let stream: Awaited<ReturnType<typeof follow>>;
  beforeEach(async () => {
    stream = await follow(api.now);
  });
  afterEach(() => stream.stop());

  it('says at once that it is ready', () => {
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.seen.events).toEqual([{ event: 'ready', data: { heartbeat_ms: NEVER_MS } }]);
  });

  it('tells of a ticket that is added, changed and deleted', async () => {
    const { id } = await world.ticket();
    await until('its addition is told', () => stream.ids('ticket').has(id));
    for (const method of ['PATCH', 'DELETE']) {
      const before = stream.seen.events.length;
      await world.call(
        method,
        `ticket/${id}/`,
        method === 'PATCH' ? { title: 'Another' } : undefined,
      );
      await until('the change is told', () => stream.seen.events.length > before);
      expect(stream.seen.events.at(-1)).toEqual({
        event: 'change',
        data: { ticket: [id], build: [], landing: [] },
      });
    }
  });

  it('tells of what belongs to a ticket as of the ticket', async () => {
    const ticket = await world.ticket();
    const toldAfter = async (change: () => Promise<Resource>) => {
      await until('all before is told', () => stream.ids('ticket').has(ticket.id));
      const before = stream.seen.events.length;
      const added = await change();
      await until('the change is told', () => stream.seen.events.length > before);
      expect(stream.seen.events.at(-1)?.data).toEqual({
        ticket: [ticket.id],
        build: [],
        landing: [],
      });
      return added.resource_uri;
    };
    const subticket = await toldAfter(() => world.subticket(ticket));
    const file = { name: 'a log', reference: 'http://127.0.0.1/log', type: 'LOGS' };
    await toldAfter(() =>
      world.create('ticketartifact/', { ticket: ticket.resource_uri, ...file }),
    );
    await toldAfter(() => world.create('subticketartifact/', { subticket, ...file }));
  });

  it('tells of what moves to another ticket as of both', async () => {
    const [from, to] = [await world.ticket(), await world.ticket()];
    const [subticket, other] = [await world.subticket(from), await world.subticket(to)];
    const file = { name: 'a log', reference: 'http://127.0.0.1/log', type: 'LOGS' };
    const ofTicket = { ticket: from.resource_uri, ...file };
    const ofSubticket = { subticket: subticket.resource_uri, ...file };
    const { id } = await world.create('ticketartifact/', ofTicket);
    const { id: nestedId } = await world.create('subticketartifact/', ofSubticket);
    const last = await world.ticket();
    await until('all before is told', () => stream.ids('ticket').has(last.id));
    for (const [path, change] of [
      [`ticketartifact/${id}/`, { ticket: to.resource_uri }],
      [`subticketartifact/${nestedId}/`, { subticket: other.resource_uri }],
    ] as const) {
      const before = stream.seen.events.length;
      expect((await world.patch(path, change)).status).toBe(202);
      await until('the change is told', () => stream.seen.events.length > before);
      expect(new Set(stream.seen.events.at(-1)?.data.ticket)).toEqual(new Set([from.id, to.id]));
    }
  });

  it('tells of an upload and of a merge proposal as of each ticket that has them', async () => {
    const [one, other, third] = [await world.ticket(), await world.ticket(), await world.ticket()];
    const upload = await world.upload();
    const proposal = await world.mergeProposal();
    for (const ticket of [one, other])
      await world.subticket(ticket, { source_package_upload: upload.resource_uri });
    await world.subticket(third, {
      source_package_upload: null,
      merge_proposal: proposal.resource_uri,
    });
    const last = await world.ticket();
    await until('all before is told', () => stream.ids('ticket').has(last.id));
    for (const [path, change, tickets] of [
      [`spu/${upload.id}/`, { version: '2.0' }, [one.id, other.id]],
      [`mergeproposal/${proposal.id}/`, { status: 'merged' }, [third.id]],
    ] as const) {
      const before = stream.seen.events.length;
      expect((await world.patch(path, change)).status).toBe(202);
      await until('the change is told', () => stream.seen.events.length > before);
      expect(new Set(stream.seen.events.at(-1)?.data.ticket)).toEqual(new Set(tickets));
    }
  });

  it('tells of a new build with its ticket, and of its progress without', async () => {
    const build = await addBuild(api.now.database);
    await until('the build is told', () => stream.ids('build').has(build.id));
    expect(stream.ids('ticket')).toContain(build.ticketId);
    const before = stream.seen.events.length;
    await report(api.now.database, build, 'STARTED');
    await until('its progress is told', () => stream.seen.events.length > before);
    expect(stream.seen.events.at(-1)?.data).toEqual({
      ticket: [],
      build: [build.id],
      landing: [],
    });
  });

  it('tells of a new landing with its ticket, of its progress without, and of its tests as of the landing', async () => {
    const { database } = api.now;
    const { id, ticketId } = await addLanding(database);
    await until('the landing is told', () => stream.ids('landing').has(id));
    expect(stream.ids('ticket')).toContain(ticketId);
    const changes = [
      "UPDATE landing SET parts = '[]' WHERE id = $1",
      `WITH base AS (
         INSERT INTO image (kind, distribution, series, architecture, format, content_key, releases, sha256, size, url, manifest_url, created_at)
         VALUES ('base', 'debian', 'bookworm', 'amd64', 'tar', 'one', '[]', '', 0, '', '', now()) RETURNING id
       )
       INSERT INTO test_run (landing_id, attempt, image_id, source, version, architecture, reason, why, files, created_at)
       SELECT $1, 1, id, 'hello', '1', 'amd64', 'changed', '', '[]', now() FROM base`,
      "UPDATE test_run SET state = 'running' WHERE landing_id = $1",
      `INSERT INTO test_verdict (landing_id, attempt, source, architecture, test, verdict, why)
       VALUES ($1, 1, 'hello', 'amd64', 'smoke', 'waiting', '')`,
    ];
    for (const change of changes) {
      const before = stream.seen.events.length;
      await database.sequelize.query(change, { bind: [id] });
      await until('the change is told', () => stream.seen.events.length > before);
      expect(stream.seen.events.at(-1)?.data).toEqual({ ticket: [], build: [], landing: [id] });
    }
  });

  it('tells nothing of what was rolled back', async () => {
    const subtickets = [{ source_package_upload: { version: '1' } }];
    const bundle = { owner: 'a@airline.example', title: 'A fix', subtickets };
    expect((await world.post('ticket/bundle/', bundle)).status).toBe(400);
    await world.ticket();
    await until('the next ticket is told', () => stream.ids('ticket').size > 0);
    expect(stream.ids('ticket').size).toBe(1);
  });

  it('goes on after the loss of its database connection, and says that there may be more to load', async () => {
    await cutListeners(api.now.databaseUrl);
    await until('it is ready again', () => stream.seen.events.length > 1);
    expect(stream.seen.events.map(({ event }) => event)).toEqual(['ready', 'ready']);
    const { id } = await world.ticket();
    await until('the change is told', () => stream.ids('ticket').has(id));
  });

  it('is refused with 503 while too many are open, and takes new ones when others have gone', async () => {
    const others = await Promise.all([follow(api.now), follow(api.now)]);
    const refused = await world.get('changes/');
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({ code: 'overloaded' });
    await Promise.all(others.map(({ stop }) => stop()));
    await until('there is room again', async () => {
      const { status, body } = await fetch(new URL('/api/v1/changes/', api.now.url));
      await body?.cancel();
      return status === 200;
    });
  });
});

describe('the stream of many changes', () => {
  const changesMs = 400;
  const api = useApi({ limits: { streams: STREAMS, changesMs } });
  const world = createWorld(api);

  it('sends them no more often than it should', async () => {
    const startedAtMs = performance.now();
    const stream = await follow(api.now);
    const tickets: number[] = [];
    for (let count = 0; count < 25; count++) {
      const { id } = await world.ticket();
      await world.patch(`ticket/${id}/`, { title: 'Another' });
      tickets.push(id);
    }
    await until('all are told', () => stream.ids('ticket').size === tickets.length);
    expect([...stream.ids('ticket')].toSorted((a, b) => a - b)).toEqual(tickets);
    const { atMs } = stream.seen;
    // From the start, not from event to event: a reader who is late for one is not late for the next. A timer may
    // be a little early.
    for (const [count, readAtMs] of atMs.entries())
      expect(readAtMs - startedAtMs).toBeGreaterThan(count * changesMs * 0.99);
    await stream.stop();
  });
});

describe('the stream of changes of an API that stops', () => {
  const api = useApi();

  it('sends heartbeats that a page can see until then, and ends', async () => {
    const stream = await follow(api.now);
    const heartbeats = () => stream.seen.events.filter(({ event }) => event === 'heartbeat');
    await until('two heartbeats have come', () => heartbeats().length > 1);
    api.now.stop.abort();
    await stream.stop();
    expect(heartbeats()[0]?.data.heartbeat_ms).toBeGreaterThan(0);
    expect(stream.seen.events.length - heartbeats().length).toBe(1);
  });
});

describe('changes that come at once', () => {
  let listener: ChangeListener | undefined;
  const feed = {
    subscribe: () => () => {},
    subscribeToChanges: (given: ChangeListener) => {
      listener = given;
      given.missed();
      return () => (listener = undefined);
    },
    close: async () => {},
  };

  it('are one event', async () => {
    const gone = new AbortController();
    const output = new PassThrough();
    let text = '';
    output.on('data', (chunk) => (text += String(chunk)));
    const limits = { changesMs: 1, heartbeatMs: NEVER_MS };
    const writing = streamChanges(feed, limits, output, gone.signal).catch(() => undefined);
    await until('it is ready', () => eventsIn(text).length === 1);
    for (const id of [1, 2, 3, 2]) listener?.changed('ticket', id);
    listener?.changed('build', 4);
    await until('they are told', () => eventsIn(text).length === 2);
    expect(eventsIn(text)[1]).toEqual({
      event: 'change',
      data: { ticket: [1, 2, 3], build: [4], landing: [] },
    });
    gone.abort();
    await writing;
    expect(eventsIn(text)).toHaveLength(2);
  });

  it('tell a reader who takes nothing to load again, instead of more ids than an event should have', async () => {
    const gone = new AbortController();
    const output = new PassThrough({ highWaterMark: 1 });
    const writing = streamChanges(
      feed,
      { changesMs: 1, heartbeatMs: NEVER_MS },
      output,
      gone.signal,
    ).catch(() => undefined);
    await until('the first event is written', () => output.readableLength > 0);
    for (let id = 1; id <= 5_000; id++) listener?.changed('build', id);
    let text = '';
    output.on('data', (chunk) => (text += String(chunk)));
    await until('the second event is written', () => eventsIn(text).length === 2);
    expect(eventsIn(text)).toEqual([
      { event: 'ready', data: { heartbeat_ms: NEVER_MS } },
      { event: 'ready', data: { heartbeat_ms: NEVER_MS } },
    ]);
    gone.abort();
    await writing;
    expect(listener).toBeUndefined();
  });
});
