import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Client } from 'pg';
import { foreignEnvironment } from '../../../main/config/config.ts';
import type { ProgressMessage } from '../../../domain/builds/progress.ts';
import { openDatabase, type Database } from '../../../models/database.ts';
import { FEED_CONNECTION } from '../../../models/events/progress-feed.ts';
import { addUntoldBuild } from '../../support/rows.ts';
import { createTestDatabase } from '../../support/database.ts';
import { programArguments } from '../../support/program.ts';
import { freePorts } from '../../support/stack/free-ports.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

const API = await programArguments('main/api.ts');

const LIMIT_MS = 600_000;
const SEED = 20_261_121;
const EVENTS = 150;
const STUCK = 10;

let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let ports: number[];
const directory = temporaryDirectory();
const running = new Map<number, ChildProcess>();

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, 4);
  const { api, standIn } = await freePorts();
  ports = [api, standIn];
  await Promise.all(ports.map(start));
}, LIMIT_MS);
afterAll(async () => {
  await Promise.all(ports.map(kill));
  await database.close();
  await testDatabase.drop();
});

async function start(port: number): Promise<void> {
  running.set(
    port,
    spawn(process.execPath, API, {
      env: {
        ...foreignEnvironment(),
        AIRLINE_DATABASE_URL: testDatabase.url,
        // Nobody listens there: events need neither.
        AIRLINE_AMQP_URL: 'amqp://guest:guest@127.0.0.1:1',
        AIRLINE_TEMPORAL_ADDRESS: '127.0.0.1:1',
        AIRLINE_STATE_DIR: directory,
        AIRLINE_API_PORT: String(port),
        AIRLINE_LOG_LEVEL: 'error',
        AIRLINE_EVENT_POLL_MS: '500',
      },
      stdio: 'ignore',
    }),
  );
  await until(
    'the API listens',
    () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      ),
    300_000,
  );
}

async function kill(port: number): Promise<void> {
  const child = running.get(port);
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const eventsUrl = (port: number, buildId: number) =>
  `http://127.0.0.1:${port}/api/v1/build/${buildId}/events/`;

/** Follows a stream until it ends, breaks, or has given so many events. */
async function followStream(url: string, after: number, max: number): Promise<ProgressMessage[]> {
  const events: ProgressMessage[] = [];
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', 'last-event-id': String(after) },
      signal: AbortSignal.timeout(LIMIT_MS - 60_000),
    });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) events.push(JSON.parse(data) as ProgressMessage);
        if (events.length >= max) return events;
      }
    }
  } catch {
    // The API was killed: what came whole has come.
  }
  return events;
}

async function readList(url: string, after: number, limit: number): Promise<ProgressMessage[]> {
  const response = await fetch(`${url}?after=${after}&limit=${limit}`).catch(() => undefined);
  if (response?.status !== 200) return [];
  return ((await response.json()) as { objects: ProgressMessage[] }).objects;
}

async function cutListeners(): Promise<void> {
  const client = new Client({ connectionString: testDatabase.url });
  await client.connect();
  try {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [FEED_CONNECTION],
    );
  } finally {
    await client.end();
  }
}

it(
  'readers that come back again and again, by stream or by list, to one API or another, get every event once and in order',
  async () => {
    const random = randomNumbers(SEED);
    const { id: buildId } = await addUntoldBuild(database, { progressTrigger: 'nobody' });
    const recording = (async () => {
      let restarted: Promise<void> | undefined;
      for (let seq = 1; seq <= EVENTS; seq++) {
        await database.ProgressEvent.record({
          buildId,
          key: String(seq),
          message: seq === EVENTS ? 'COMPLETE' : 'INPROGRESS',
        });
        if (seq === 40) await cutListeners();
        if (seq === 70) {
          await kill(ports[0] as number);
          restarted = start(ports[0] as number);
        }
        if (seq === 110) await cutListeners();
      }
      await restarted;
    })();

    const reader = async () => {
      const seen: ProgressMessage[] = [];
      while (seen.at(-1)?.exit !== true) {
        const url = eventsUrl(ports[random() < 0.5 ? 0 : 1] as number, buildId);
        const after = seen.at(-1)?.seq ?? 0;
        const max = 1 + Math.floor(random() * 15);
        const isList = random() < 0.3;
        seen.push(...(await (isList ? readList(url, after, max) : followStream(url, after, max))));
      }
      return seen;
    };
    const readers = await Promise.all(Array.from({ length: 5 }, reader));
    await recording;

    const rows = await database.ProgressEvent.findAfter(buildId, 0, EVENTS + 1);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS }, (_, at) => at + 1));
    for (const seen of readers) expect(seen).toEqual(rows);
  },
  LIMIT_MS,
);

it(
  'readers that take nothing are not gathered for, and hold up nobody',
  async () => {
    const port = ports[1] as number;
    const { id: buildId } = await addUntoldBuild(database, { progressTrigger: 'nobody' });
    const count = 600;
    const eventBytes = 200_000;
    await database.sequelize.query(
      `INSERT INTO progress_event (build_id, seq, key, body, created_at)
       SELECT $buildId, seq, seq::text, jsonb_build_object('seq', seq, 'build_id', $buildId::integer, 'message', 'INPROGRESS',
         'filling', repeat(md5(seq::text), $repeats)), now()
       FROM generate_series(1, $count) AS seq`,
      { bind: { buildId, count, repeats: eventBytes / 32 } },
    );
    await database.sequelize.query('UPDATE build SET last_seq = $count WHERE id = $buildId', {
      bind: { buildId, count },
    });
    const stuck = Array.from({ length: STUCK }, () => {
      const socket = connect(port, '127.0.0.1').pause();
      socket.on('error', () => undefined);
      socket.write(
        `GET ${new URL(eventsUrl(port, buildId)).pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`,
      );
      return socket;
    });

    const all = await followStream(eventsUrl(port, buildId), 0, count);
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, at) => at + 1));

    // Gathered for, they would have 120 MB each.
    const status = readFileSync(`/proc/${running.get(port)?.pid}/status`, 'utf8');
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(700_000);

    let received = 0;
    stuck[0]?.on('data', (chunk) => (received += chunk.length)).resume();
    await until('one of them goes on', () => received > (count * eventBytes) / 2, 300_000);
    for (const socket of stuck) socket.destroy();
  },
  LIMIT_MS,
);
