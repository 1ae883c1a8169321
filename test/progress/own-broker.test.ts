import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

/*
 * One node for all tests, and their order counts: a test sets other limits, which hold until the node is killed and
 * starts anew.
 */

const execute = promisify(execFile);
const BUILDS = 20;
const EVENTS = 12;
const EXPIRES_MS = 20_000;
const MAX_IN_QUEUE = 15;
const LIMIT_MS = 600_000;
const ANSWER_MS = 60_000;
// A test runs rabbitmqctl up to four times, each of which may take five minutes on a busy machine.
jest.setTimeout(3 * LIMIT_MS);
const logged: { alarm?: string; reason?: string; msg: string }[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) });

let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let broker: OwnBroker;
let publisher: ProgressPublisher | undefined;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, 8);
  broker = await startOwnBroker({
    AIRLINE_QUEUE_EXPIRES_MS: String(EXPIRES_MS),
    AIRLINE_QUEUE_MAX_LENGTH: String(MAX_IN_QUEUE),
  });
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

type Policy = { name: string; pattern: string; 'apply-to': string; definition: string };
const listed = async <T>(...what: string[]) =>
  JSON.parse(await broker.control(...what, '--formatter', 'json', '--quiet')) as T[];

async function report(buildId: number, ...keys: number[]): Promise<void> {
  for (const key of keys)
    await database.ProgressEvent.record({ buildId, key: String(key), message: 'INPROGRESS' });
  await allPublished();
}

it('a queue that nobody reads expires, though events come; it is made again with all of them, and one that is read stays', async () => {
  startPublisher();
  const connection = await connect(broker.url);
  const channel = await connection.createChannel();
  await channel.assertQueue('read', { durable: true });
  await channel.consume('read', () => undefined);
  const { id: abandoned } = await addUntoldBuild(database, { progressTrigger: 'abandoned' });
  const publishedAt = Date.now();
  await report(abandoned, 1);
  // Not by rabbitmqctl, which may take longer on a busy machine than the queue stays.
  for (const queue of ['abandoned', 'read']) await channel.checkQueue(queue);
  await report(abandoned, 2);

  // To ask for the queue would keep it alive. This exchange goes with it.
  const watch = await connection.createChannel();
  watch.on('error', () => undefined);
  await watch.assertExchange('watch', 'fanout', { autoDelete: true });
  await watch.bindQueue('abandoned', 'watch', '');
  const isGone = () =>
    watch.checkExchange('watch').then(
      () => false,
      () => true,
    );
  await until('the queue to expire', isGone, LIMIT_MS);
  expect(Date.now() - publishedAt).toBeGreaterThanOrEqual(EXPIRES_MS);
  await channel.checkQueue('read');
  // It is gone: to ask for it keeps nothing alive.
  const asking = await connection.createChannel();
  asking.on('error', () => undefined);
  await expect(asking.checkQueue('abandoned')).rejects.toThrow('NOT_FOUND');

  await report(abandoned, 3);
  const ids = (await readQueue(channel, 'abandoned')).map(({ properties }) => properties.messageId);
  expect(ids).toEqual([1, 2, 3].map((seq) => `${abandoned}:${seq}`));
  await connection.close();
});

/** The command of docs/operations.md that sets a broker's limits, as it is printed there. */
function printedCommand(): string {
  const page = readFileSync('docs/operations.md', 'utf8');
  const command = page
    .split('\n```')
    .map((block) => block.replace(/^sh\n/, ''))
    .find((block) => block.startsWith('docker compose exec rabbitmq rabbitmqctl set_policy'));
  if (command === undefined) throw new Error('docs/operations.md prints no such command');
  return command;
}

it('a broker that is told the limits as docs/operations.md says has the policy of the private node', async () => {
  startPublisher();
  const [own] = await listed<Policy>('list_policies');

  // What Compose does with it: it runs the rest in the container.
  const bin = temporaryDirectory();
  writeFileSync(
    join(bin, 'docker'),
    '#!/bin/sh\n[ "$1 $2 $3" = "compose exec rabbitmq" ] || exit 64\nshift 3\nexec "$@"\n',
  );
  chmodSync(join(bin, 'docker'), 0o755);
  await execute('sh', ['-euc', printedCommand()], {
    timeout: LIMIT_MS,
    env: { ...broker.controlEnvironment, PATH: `${bin}:${broker.controlEnvironment['PATH']}` },
  });

  const policies = await listed<Policy>('list_policies');
  expect(policies).toHaveLength(1);
  const definitionOf = (policy?: Policy) => JSON.parse(policy?.definition ?? '{}') as object;
  expect({ ...policies[0], definition: null }).toEqual({ ...own, definition: null });
  expect(definitionOf(own)).toEqual({
    'max-length': MAX_IN_QUEUE,
    overflow: 'reject-publish',
    expires: EXPIRES_MS,
  });
  expect(definitionOf(policies[0])).toEqual({
    'max-length': 100_000,
    overflow: 'reject-publish',
    expires: 7 * 86_400_000,
  });
  const { id: limited } = await addUntoldBuild(database, { progressTrigger: 'with-limits' });
  await report(limited, 1);
  expect(await listed<object>('list_queues', 'name', 'policy')).toContainEqual({
    name: 'with-limits',
    policy: 'airline',
  });
});

it('a broker that has no room for messages is named with its reason; they wait, and come when it has', async () => {
  startPublisher();
  const { id } = await addUntoldBuild(database, { progressTrigger: 'under-an-alarm' });
  await report(id, 1);
  const setLimit = (...limit: string[]) => broker.control('set_vm_memory_high_watermark', ...limit);
  await setLimit('absolute', '1MB');
  await database.ProgressEvent.record({ buildId: id, key: '2', message: 'INPROGRESS' });
  const alarm = () => logged.find((line) => line.alarm === 'broker_blocked');
  await until('the log names the alarm', async () => alarm() !== undefined, 60_000);
  expect(alarm()).toMatchObject({
    reason: 'low on memory',
    msg: 'RabbitMQ takes no messages until it has room again; the events are kept',
  });

  await setLimit('0.4');
  await allPublished();
});

it('lets in who has letters outside ASCII, and signs of a URL, in name and password', async () => {
  const [name, password] = ['jürgen@строй', 'pässwörd/@:%41'];
  await broker.control('add_user', name, password);
  await broker.control('set_permissions', '-p', '/', name, '.*', '.*', '.*');
  const url = new URL(broker.url);
  const amqpUrl = `amqp://${encodeURIComponent(name)}:${encodeURIComponent(password)}@${url.host}/`;
  const connection = await connectToBroker({ amqpUrl }, ANSWER_MS, logger);
  await connection.makeQueue('by-name');
  await connection.close();
});

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

  it('takes a message by amqps:// from who trusts its CA', async () => {
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
  });

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
  ])('is refused, and says why, where %s', async (_case, refused, why) => {
    await expect(refused()).rejects.toThrow(why);
  });
});

it('a broker that is killed in the middle loses nothing: each build has its events in order, and what comes twice has its first id', async () => {
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
  // From now on no queue expires, however long a test takes.
  await broker.start({ AIRLINE_QUEUE_MAX_LENGTH: String(MAX_IN_QUEUE) });
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
});

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
