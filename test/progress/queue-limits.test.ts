import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import pino from 'pino';
import { openDatabase, type Database } from '../../models/database.ts';
import { startProgressPublisher, type ProgressPublisher } from '../../progress/publish-progress.ts';
import { addUntoldBuild } from '../support/rows.ts';
import { createTestDatabase } from '../support/database.ts';
import { startOwnBroker, type OwnBroker } from '../support/own-broker.ts';
import { readQueue } from '../support/read-queue.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const execute = promisify(execFile);
// A test runs rabbitmqctl up to four times, each of which may take five minutes on a busy machine.
const LIMIT_MS = 1_800_000;
const EXPIRES_MS = 20_000;
const MAX_IN_QUEUE = 50;
jest.setTimeout(LIMIT_MS);

let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let broker: OwnBroker;
let publisher: ProgressPublisher;
const logged: { alarm?: string; reason?: string; msg: string }[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, 4);
  broker = await startOwnBroker({
    AIRLINE_QUEUE_EXPIRES_MS: String(EXPIRES_MS),
    AIRLINE_QUEUE_MAX_LENGTH: String(MAX_IN_QUEUE),
  });
  publisher = startProgressPublisher({
    database,
    amqpUrl: broker.url,
    intervalMs: 50,
    logger,
  });
}, LIMIT_MS);
afterAll(async () => {
  await publisher.stop();
  await database.close();
  await testDatabase.drop();
  await broker.stop();
}, LIMIT_MS);

type Policy = { name: string; pattern: string; 'apply-to': string; definition: string };
const listed = async <T>(...what: string[]) =>
  JSON.parse(await broker.control(...what, '--formatter', 'json', '--quiet')) as T[];

async function report(buildId: number, ...keys: number[]): Promise<void> {
  for (const key of keys)
    await database.ProgressEvent.record({ buildId, key: String(key), message: 'INPROGRESS' });
  await until(
    'every event is published',
    async () => (await database.ProgressEvent.unpublished()) === 0,
  );
}

it('a queue that nobody reads expires, though events come; it is made again with all of them, and one that is read stays', async () => {
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
  expect(await listed('list_queues', 'name')).toEqual([{ name: 'read' }]);

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
  await until(
    'every event is published',
    async () => (await database.ProgressEvent.unpublished()) === 0,
    LIMIT_MS,
  );
});
