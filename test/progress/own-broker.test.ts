import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { pino } from 'pino';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { connectToBroker } from '../../progress/broker-connection.ts';
import { startProgressPublisher, type ProgressPublisher } from '../../progress/publish-progress.ts';
import { assertMessage } from '../support/assert-message.ts';
import { readQueue } from '../support/read-queue.ts';
import { addUntoldBuild } from '../support/rows.ts';
import { createTestDatabase } from '../support/database.ts';
import { startOwnBroker, type OwnBroker } from '../support/own-broker.ts';
import { freePorts } from '../support/stack/free-ports.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { makeTlsAuthority, type TlsAuthority } from '../support/tls-authority.ts';
import { until } from '../support/until.ts';

const BUILDS = 20;
const EVENTS = 12;
const MAX_IN_QUEUE = 15;
const LIMIT_MS = 600_000;
const ANSWER_MS = 60_000;
const logger = pino({ level: 'silent' });

let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let broker: OwnBroker;
let publisher: ProgressPublisher | undefined;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, 8);
  broker = await startOwnBroker({ AIRLINE_QUEUE_MAX_LENGTH: String(MAX_IN_QUEUE) });
}, LIMIT_MS);
afterEach(async () => {
  await publisher?.stop();
  publisher = undefined;
  await database.sequelize.query('TRUNCATE build CASCADE');
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await broker.stop();
}, LIMIT_MS);

function startPublisher(): void {
  publisher = startProgressPublisher({
    database,
    amqpUrl: broker.url,
    intervalMs: 50,
    answerMs: ANSWER_MS,
    logger,
  });
}
const record = (buildId: number, key: number, isLast: boolean) =>
  database.ProgressEvent.record({
    buildId,
    key: String(key),
    message: isLast ? 'COMPLETE' : 'INPROGRESS',
  });
const published = async (count: number) => {
  const { sequelize } = database;
  const [rows] = await sequelize.query(
    'SELECT 1 FROM progress_event WHERE published_at IS NOT NULL',
  );
  return rows.length >= count;
};
const allPublished = () =>
  until(
    'every event is published',
    async () => (await database.ProgressEvent.unpublished()) === 0,
    LIMIT_MS,
  );

type Read = { id: string; body: ProgressMessage };
/** Empties a queue. */
async function read(queue: string): Promise<Read[]> {
  const connection = await connect(broker.url);
  try {
    const channel = await connection.createChannel();
    return (await readQueue(channel, queue)).map(({ properties, content }) => ({
      id: properties.messageId as string,
      body: assertMessage(JSON.parse(content.toString())),
    }));
  } finally {
    await connection.close();
  }
}
const seqs = (messages: readonly Read[]) => messages.map(({ body }) => body.seq);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

it(
  'lets in who has letters outside ASCII, and signs of a URL, in name and password',
  async () => {
    const [name, password] = ['jürgen@строй', 'pässwörd/@:%41'];
    await broker.addUser(name, password);
    const url = new URL(broker.url);
    const amqpUrl = `amqp://${encodeURIComponent(name)}:${encodeURIComponent(password)}@${url.host}/`;
    const connection = await connectToBroker({ amqpUrl }, ANSWER_MS, logger);
    await connection.makeQueue('by-name');
    await connection.close();
  },
  LIMIT_MS,
);

describe("RabbitMQ's own TLS listener", () => {
  let authority: TlsAuthority;
  let address: string;

  beforeAll(async () => {
    authority = await makeTlsAuthority();
    const { certificate, key } = await authority.issue('localhost');
    const port = (await freePorts()).api;
    // The node is another user, who may read neither the test's folders nor the key.
    const directory = temporaryDirectory();
    const readable = (file: string, name: string) => {
      copyFileSync(file, join(directory, name));
      chmodSync(join(directory, name), 0o644);
      return join(directory, name);
    };
    await broker.control(
      'eval',
      `{ok, _} = application:ensure_all_started(ssl),
       ok = rabbit_networking:start_ssl_listener({"127.0.0.1", ${port}, inet},
         [{certfile, "${readable(certificate, 'certificate.pem')}"},
          {keyfile, "${readable(key, 'key.pem')}"}], 1).`,
    );
    const url = new URL(broker.url);
    address = `amqps://${url.username}:${url.password}@localhost:${port}/`;
  }, LIMIT_MS);

  /** Connects as a publisher does, with the CA in a file. */
  const connectWith = (amqpUrl: string, ca?: string) =>
    connectToBroker({ amqpUrl, ...(ca ? { amqpCa: readFileSync(ca) } : {}) }, ANSWER_MS, logger);

  it(
    'takes a message by amqps:// from who trusts its CA',
    async () => {
      const sender = await connectWith(address, authority.ca);
      await sender.makeQueue('by-tls');
      await sender.publish({
        queue: 'by-tls',
        id: '7:1',
        type: 'progress',
        timestamp: '2026-11-20T12:00:00Z',
        body: { message: 'STARTED' },
      });
      await sender.close();
      const reader = await connect(broker.url);
      const message = await (await reader.createChannel()).get('by-tls', { noAck: true });
      await reader.close();
      expect(message && message.content.toString()).toBe('{"message":"STARTED"}');
    },
    LIMIT_MS,
  );

  it.each([
    ['the CA is not known', () => connectWith(address), /unable to verify|self.signed/],
    [
      'another CA is given',
      async () => connectWith(address, (await makeTlsAuthority()).ca),
      /unable to verify|certificate signature failure|self.signed/,
    ],
    [
      'its certificate is for another name',
      () => connectWith(address.replace('localhost', '127.0.0.1'), authority.ca),
      /altnames/,
    ],
  ])(
    'is refused, and says why, where %s',
    async (_case, refused, why) => {
      await expect(refused()).rejects.toThrow(why);
    },
    LIMIT_MS,
  );
});

it(
  'a broker that is killed in the middle loses nothing: each build has its events in order, and what comes twice has its first id',
  async () => {
    const builds = await Promise.all(
      upTo(BUILDS).map(async (number) => {
        const queue = `killed-${number}`;
        const { id: buildId } = await addUntoldBuild(database, { progressTrigger: queue });
        return { queue, buildId };
      }),
    );
    startPublisher();
    const recording = (async () => {
      for (const key of upTo(EVENTS)) {
        await Promise.all(builds.map(({ buildId }) => record(buildId, key, key === EVENTS)));
        // Events go on coming while the broker is away, as builds do.
        if (key < EVENTS) await until('some are published', () => published(key * 5), LIMIT_MS);
      }
    })();
    await until('the first are published', () => published(20), LIMIT_MS);
    await broker.kill();
    await broker.start();
    await recording;
    await allPublished();

    for (const { queue, buildId } of builds) {
      const messages = await read(queue);
      const first = messages.filter(
        ({ id }, at) => messages.findIndex((other) => other.id === id) === at,
      );
      expect(seqs(first)).toEqual(upTo(EVENTS));
      expect(first.map(({ id }) => id)).toEqual(upTo(EVENTS).map((seq) => `${buildId}:${seq}`));
      for (const { id, body } of messages)
        expect(body).toEqual(first.find((other) => other.id === id)?.body);
      expect(messages.filter(({ body }) => body.exit).map(({ id }) => id)).toContain(
        `${buildId}:${EVENTS}`,
      );
    }
  },
  LIMIT_MS,
);

it('a queue is bounded by the node though its caller has declared it plainly; it holds up nobody else, and goes on in order when it is read', async () => {
  const connection = await connect(broker.url);
  const channel = await connection.createChannel();
  await channel.assertQueue('full', { durable: true });
  const { id: full } = await addUntoldBuild(database, { progressTrigger: 'full' });
  const { id: other } = await addUntoldBuild(database, { progressTrigger: 'other' });
  const count = MAX_IN_QUEUE + 5;
  for (const key of upTo(count)) await record(full, key, key === count);
  startPublisher();
  await until('the queue is full', async () => {
    return (await channel.checkQueue('full')).messageCount === MAX_IN_QUEUE;
  });

  for (const key of upTo(3)) await record(other, key, key === 3);
  await until('the other build is through', async () => {
    return (await database.ProgressEvent.unpublished()) === 5;
  });
  expect(seqs(await read('other'))).toEqual(upTo(3));
  expect(await database.ProgressEvent.unpublished()).toBe(5);

  const seen = seqs(await read('full'));
  await allPublished();
  expect([...seen, ...seqs(await read('full'))]).toEqual(upTo(count));
  await connection.close();
});
