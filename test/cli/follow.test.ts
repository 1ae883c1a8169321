import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, collecting, jsonLines, slowTime } from './call.ts';

type Event = {
  seq: number;
  message: string;
  exit?: true;
  attempt?: number;
  [field: string]: unknown;
};

const STATES: Readonly<Record<string, string>> = {
  STARTED: 'WAITING',
  INPROGRESS: 'STATUS',
  COMPLETE: 'COMPLETED',
  FAILURE: 'FAILED',
};

const PHASES: Readonly<Record<string, string>> = {
  STARTED: 'checking',
  INPROGRESS: 'building',
  COMPLETE: 'completed',
  FAILURE: 'failed',
};

const event = (seq: number, message: string, more: object = {}): Event => ({
  seq,
  message,
  ...(message === 'COMPLETE' || message === 'FAILURE' ? { exit: true } : {}),
  state: STATES[message],
  phase: PHASES[message],
  phase_since: '2026-01-01T00:00:00.000Z',
  source_packages: [],
  ppa: 'ppa:a/b',
  progress_trigger: 'q',
  build_id: 5,
  attempt: 1,
  ticket_id: 7,
  timestamp: '2026-01-01T00:00:00.000Z',
  builds: [],
  logs: [],
  ...more,
});
const EVENTS = [
  event(1, 'STARTED'),
  event(2, 'INPROGRESS'),
  event(3, 'INPROGRESS'),
  event(4, 'COMPLETE'),
];

const away: Connection = (response) => {
  response.socket?.destroy();
};
const many = (connection: Connection) => Array.from({ length: 500 }, () => connection);

type Connection = (response: ServerResponse, after: number) => void;

const write = (response: ServerResponse, events: readonly Event[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const one of events)
    response.write(`id: ${one.seq}\nevent: ${one.message}\ndata: ${JSON.stringify(one)}\n\n`);
};

/** A server of events that treats one connection after the other as the test says; after those it is well. */
function useEvents() {
  let script: Connection[] = [];
  let events = EVENTS;
  let row: () => object = () => ({});
  const asked: number[] = [];
  const server = createServer((request, response) => {
    if (!request.url?.endsWith('/events/')) {
      const after = Number(new URL(`http://host${request.url ?? ''}`).searchParams.get('after'));
      const objects = events.filter(({ seq }) => seq > after).slice(0, 1);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ ...row(), failure: null, logs: [], meta: { total_count: 0 }, objects }),
      );
      return;
    }
    const after = Number(request.headers['last-event-id']);
    asked.push(after);
    const next = script.shift();
    if (next) {
      next(response, after);
      return;
    }
    const left = events.filter(({ seq }) => seq > after);
    if (left.length === 0) response.writeHead(204).end();
    else {
      write(response, left);
      response.end();
    }
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    asked,
    play(given: Connection[], of: Event[] = EVENTS) {
      script = given;
      events = of;
      row = () => ({});
      asked.splice(0);
    },
    /** What the row of the build has when it is read. */
    show(given: () => object) {
      row = given;
    },
    get environment() {
      return { AIRLINE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    },
  };
}

describe('following a build', () => {
  const server = useEvents();
  const watch = (...more: string[]) =>
    call(['build', 'watch', '5', '--json', ...more], {
      env: server.environment,
      ...slowTime(),
    });
  const seqs = (stdout: string) => jsonLines<Event>(stdout).map(({ seq }) => seq);

  it('gives every event and ends with the build', async () => {
    server.play([]);
    const { code, stdout, stderr } = await watch();
    expect({ code, stderr, seqs: seqs(stdout) }).toEqual({
      code: 0,
      stderr: '',
      seqs: [1, 2, 3, 4],
    });
  });

  it('begins where it is told to', async () => {
    server.play([]);
    expect(seqs((await watch('--after', '2')).stdout)).toEqual([3, 4]);
  });

  it('prints the words of a newer server that it does not know, and goes on', async () => {
    const signing = event(2, 'SIGNING', { phase: 'signing_packages', state: 'SIGNING' });
    server.play([], [event(1, 'STARTED'), signing, event(3, 'COMPLETE')]);
    const { code, stdout } = await call(['build', 'watch', '5'], {
      env: server.environment,
      ...slowTime(),
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/ signing packages\n.* completed\n/),
    });
  });

  it('ends with 1 where the build failed', async () => {
    const failure = { class: 'build_failed', retryable: false, message: 'no', hint: 'look' };
    server.play([], [event(1, 'STARTED'), event(2, 'FAILURE', { failure })]);
    expect((await watch()).code).toBe(1);
  });

  // From Node 24 on, what comes together with a cut is not read.
  it.each<[string, (response: ServerResponse, bothPrinted: Promise<void>) => void]>([
    [
      'is cut between events',
      (response, bothPrinted) => {
        write(response, EVENTS.slice(0, 2));
        void bothPrinted.then(() => response.socket?.destroy());
      },
    ],
    [
      'is cut within an event',
      (response, bothPrinted) => {
        write(response, EVENTS.slice(0, 2));
        response.write('id: 3\nevent: INPROGRESS\ndata: {"seq"');
        void bothPrinted.then(() => response.socket?.destroy());
      },
    ],
    [
      'ends as when the server stops',
      (response) => {
        write(response, EVENTS.slice(0, 2));
        response.end();
      },
    ],
    [
      'brings an event too many',
      (response) => {
        write(response, [EVENTS[0] as Event, EVENTS[1] as Event, EVENTS[3] as Event]);
        response.end();
      },
    ],
    [
      'brings what is no JSON',
      (response) => {
        write(response, EVENTS.slice(0, 2));
        response.write('data: {\n\n');
        response.end();
      },
    ],
  ])('when a connection %s, goes on after the last event and says so', async (_, connection) => {
    const { stream, text } = collecting(false, 80);
    const bothPrinted = new Promise<void>((resolve) => {
      stream.on('data', () => text().split('\n').length > 2 && resolve());
    });
    server.play([(response) => connection(response, bothPrinted)]);
    const { code, stderr } = await call(['build', 'watch', '5', '--json'], {
      env: server.environment,
      stdout: stream,
      ...slowTime(),
    });
    expect(code).toBe(0);
    expect(seqs(text())).toEqual([1, 2, 3, 4]);
    expect(server.asked.slice(0, 2)).toEqual([0, 2]);
    expect(stderr).toMatch(/^Lost the connection after event 2 \(.+\); trying again\.\n/);
    expect(stderr).toContain('Connected again; going on after event 2.');
  });

  it('says nothing of the usual end of a stream that was open for long', async () => {
    const time = slowTime();
    server.play([
      (response) => {
        write(response, EVENTS.slice(0, 2));
        time.pass(15 * 60_000);
        response.end();
      },
    ]);
    const { code, stdout, stderr } = await call(['build', 'watch', '5', '--json'], {
      env: server.environment,
      ...time,
    });
    expect({ code, stderr, seqs: seqs(stdout) }).toEqual({
      code: 0,
      stderr: '',
      seqs: [1, 2, 3, 4],
    });
    expect(server.asked).toEqual([0, 2, 4]);
  });

  it('repeats no event that comes twice', async () => {
    server.play([
      (response) => {
        write(response, [...EVENTS.slice(0, 2), ...EVENTS.slice(0, 3)]);
        response.end();
      },
    ]);
    expect(seqs((await watch()).stdout)).toEqual([1, 2, 3, 4]);
  });

  it('comes back over a long outage, and says it once', async () => {
    server.play([
      (response) => {
        write(response, EVENTS.slice(0, 1));
        response.end();
      },
      ...Array.from({ length: 50 }, () => away),
      (response) => {
        response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
      },
      (response) => {
        response.writeHead(502, { 'content-type': 'text/html' }).end('<html>');
      },
    ]);
    const { code, stdout, stderr } = await watch();
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 0, seqs: [1, 2, 3, 4] });
    expect(stderr.match(/Lost the connection/g)).toHaveLength(1);
    expect(stderr.match(/Connected again/g)).toHaveLength(1);
  });

  it('gives up in the end, and says how to come back', async () => {
    server.play([
      (response) => {
        write(response, EVENTS.slice(0, 1));
        response.end();
      },
      ...many(away),
    ]);
    const { code, stderr } = await watch();
    expect(code).toBe(6);
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'unreachable', hint: expect.stringContaining('airline build watch 5') },
    });
    expect(server.asked.length).toBeLessThan(100);
  });

  it('gives up soon where no server ever answered', async () => {
    server.play(many(away));
    const { code, stderr } = await watch();
    expect({ code, asked: server.asked.length }).toEqual({ code: 6, asked: 4 });
    expect(stderr).not.toContain('Lost the connection');
    expect(stderr).not.toContain('Build 5 goes on');
  });

  it('does not give up soon a server that took the request of the same call', async () => {
    server.play(Array.from({ length: 20 }, () => away));
    const { code, stdout } = await call(['build', 'retry', '5', '--wait', '--json'], {
      env: server.environment,
      ...slowTime(),
    });
    expect({ code, seqs: seqs(stdout).slice(1) }).toEqual({ code: 0, seqs: [1, 2, 3, 4] });
  });

  it.each(['retry', 'cancel'])(
    'of `build %s --wait --json` comes after the build, each event on a line',
    async (verb) => {
      server.play([]);
      const { stdout } = await call(['build', verb, '5', '--wait', '--json'], {
        env: server.environment,
        ...slowTime(),
      });
      const [build, ...events] = jsonLines<Event>(stdout);
      expect(build).toHaveProperty('logs', []);
      expect(events).toEqual(EVENTS);
    },
  );

  it('of `build cancel --wait` ends with 0 though what was cancelled is retried at once', async () => {
    const failure = { class: 'cancelled', retryable: true, message: 'no', hint: 'look' };
    server.play([], [event(1, 'STARTED'), event(2, 'FAILURE', { failure })]);
    const { code } = await call(['build', 'cancel', '5', '--wait'], {
      env: server.environment,
      ...slowTime(),
    });
    expect(code).toBe(0);
  });

  it('refuses at once an answer that is no stream of events', async () => {
    server.play(
      many((response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<html>Sign in');
      }),
    );
    const { code, stdout, stderr } = await watch();
    expect({ code, stdout, asked: server.asked.length }).toEqual({ code: 6, stdout: '', asked: 1 });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_airline' } });
  });

  it('waits out the page of a proxy where Airline has answered before', async () => {
    const page =
      (status: number): Connection =>
      (response) =>
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Back soon');
    server.play([
      (response) => {
        write(response, EVENTS.slice(0, 1));
        response.end();
      },
      page(500),
      page(200),
    ]);
    const { code, stdout } = await watch();
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 0, seqs: [1, 2, 3, 4] });
  });

  it.each<[string, string]>([
    ['lacks an event', `data: ${JSON.stringify(EVENTS[3])}`],
    ['brings what is no JSON', 'data: {'],
    ['brings an event without a number', 'data: {}'],
  ])('gives up a stream that %s however often it is asked', async (_, wrong) => {
    server.play(
      many((response, after) => {
        write(response, EVENTS.slice(after, 2));
        response.end(`: heartbeat\n\n${wrong}\n\n`);
      }),
    );
    const { code, stdout, stderr } = await watch();
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 6, seqs: [1, 2] });
    expect(stderr).toContain('The events cannot be followed');
    expect(server.asked.length).toBeLessThan(10);
  });

  it('takes no bytes for life but those of an event or a heartbeat', async () => {
    server.play(
      many((response) => {
        write(response, []);
        response.end('retry: 1\n\ndata: {"seq"');
      }),
    );
    expect((await watch()).code).toBe(6);
    expect(server.asked.length).toBeLessThan(100);
  });

  it('goes on as long as heartbeats come', async () => {
    server.play(
      Array.from({ length: 200 }, (): Connection => (response) => {
        write(response, []);
        response.end(': heartbeat\n\n');
      }),
    );
    const { code, stdout } = await watch();
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 0, seqs: [1, 2, 3, 4] });
  });

  it('does not wait for a server that goes after the final event', async () => {
    server.play([
      (response) => {
        write(response, EVENTS);
        response.end();
      },
      ...many(away),
    ]);
    expect((await watch()).code).toBe(0);
    expect(server.asked.length).toBeLessThan(6);
  });

  it('goes on after the final event of an attempt that was retried', async () => {
    const failure = { class: 'cancelled', retryable: true, message: 'no', hint: 'look' };
    server.play(
      [],
      [
        event(1, 'FAILURE', { failure }),
        event(2, 'STARTED', { attempt: 2 }),
        event(3, 'COMPLETE', { attempt: 2 }),
      ],
    );
    const { code, stdout } = await watch();
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 0, seqs: [1, 2, 3] });
  });

  it('goes on over events that were removed for their age, as those before a late retry', async () => {
    const failure = { class: 'build_failed', retryable: false, message: 'no', hint: 'look' };
    server.play(
      [],
      [
        event(12, 'FAILURE', { failure }),
        event(13, 'STARTED', { attempt: 2 }),
        event(14, 'COMPLETE', { attempt: 2 }),
      ],
    );
    const { code, stdout, stderr } = await watch();
    expect({ code, stderr, seqs: seqs(stdout) }).toEqual({
      code: 0,
      stderr: '',
      seqs: [12, 13, 14],
    });
  });

  it('ends with 7 when the time is over', async () => {
    server.play([(response) => write(response, EVENTS.slice(0, 1))]);
    const { code, stdout, stderr } = await watch('--timeout', '5s');
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 7, seqs: [1] });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'timed_out', hint: expect.stringContaining('Build 5 goes on.') },
    });
  });

  it('ends with 130 at Ctrl-C, and says that the build goes on', async () => {
    const interruption = new AbortController();
    server.play([
      (response) => {
        write(response, EVENTS.slice(0, 1));
        setImmediate(() => interruption.abort());
      },
    ]);
    const { code, stderr } = await call(['build', 'watch', '5'], {
      env: server.environment,
      interruption: interruption.signal,
    });
    expect(code).toBe(130);
    expect(stderr).toContain('Build 5 goes on.');
    expect(stderr).toContain('airline build cancel 5');
  });

  it('of nothing new tells how the build ended', async () => {
    server.play([]);
    const { code, stdout } = await call(['build', 'watch', '5', '--after', '4'], {
      env: server.environment,
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('Build 5 is complete.'),
    });
  });

  it('of nothing new goes on where the build is retried before its end is read', async () => {
    server.play([]);
    const retried = [event(5, 'STARTED', { attempt: 2 }), event(6, 'COMPLETE', { attempt: 2 })];
    server.show(() => {
      server.play([], [...EVENTS, ...retried]);
      return { finished_at: null };
    });
    const { code, stdout } = await watch('--after', '4');
    expect({ code, seqs: seqs(stdout) }).toEqual({ code: 0, seqs: [5, 6] });
  });
});
