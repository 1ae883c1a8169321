import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import pino from 'pino';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { startProgressPublisher } from '../../progress/publish-progress.ts';
import { amqpUrl } from '../support/addresses.ts';
import { assertMessage } from '../support/assert-message.ts';
import { programArguments } from '../support/program.ts';
import { readQueue } from '../support/read-queue.ts';
import { addUntoldBuild } from '../support/rows.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { confirmationCounter, startOverheardProxy } from './overheard-proxy.ts';

const PUBLISHER = await programArguments('test/progress/publisher-process.ts');
const EVENTS = 6;
const LIMIT_MS = 600_000;
jest.setTimeout(LIMIT_MS);

let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let broker: ChannelModel;
let channel: Channel;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, 4);
  broker = await connect(amqpUrl());
  channel = await broker.createChannel();
});
afterAll(async () => {
  await broker.close();
  await database.close();
  await testDatabase.drop();
});

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const serverOf = (url: string) => ({
  host: new URL(url).hostname,
  port: Number(new URL(url).port),
});
const through = (url: string, port: number) => {
  const way = new URL(url);
  way.host = `127.0.0.1:${port}`;
  return way.href;
};
const record = (buildId: number, key: number, isLast = false) =>
  database.ProgressEvent.record({
    buildId,
    key: String(key),
    message: isLast ? 'COMPLETE' : 'INPROGRESS',
  });

type Read = { id: string; body: ProgressMessage };
async function read(queue: string): Promise<Read[]> {
  return (await readQueue(channel, queue)).map(({ properties, content }) => ({
    id: properties.messageId as string,
    body: assertMessage(JSON.parse(content.toString())),
  }));
}

/**
 * Runs a publisher that dies by SIGKILL once the broker has confirmed so many messages: either before the confirmation
 * reaches it, or when it has taken it and tells the database, which does not hear it.
 */
async function publishAndDie(confirmed: number, knowsOfIt: boolean): Promise<void> {
  const count = confirmationCounter();
  let die: () => void = () => undefined;
  const isTime = new Promise<void>((resolve) => {
    die = resolve;
  });
  const toDatabase = await startOverheardProxy(serverOf(testDatabase.url));
  const toBroker = await startOverheardProxy(serverOf(amqpUrl()), {
    onServer: (chunk) => {
      if (count(chunk) < confirmed) return true;
      if (knowsOfIt) void toDatabase.holdClients().then(die);
      else die();
      return knowsOfIt;
    },
  });
  const publisher = spawn(
    process.execPath,
    [...PUBLISHER, through(testDatabase.url, toDatabase.port), through(amqpUrl(), toBroker.port)],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  publisher.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(publisher, 'exit');
  try {
    await Promise.race([
      isTime,
      ended.then(() => Promise.reject(new Error(`the publisher ended by itself: ${said}`))),
    ]);
  } finally {
    publisher.kill('SIGKILL');
    await ended;
    await toDatabase.stop();
    await toBroker.stop();
  }
  expect(publisher.signalCode).toBe('SIGKILL');
}

describe('a publisher that is killed when the broker has a message and the database does not know', () => {
  it.each([
    ['before the confirmation reaches it', 3, false],
    ['when it knows of the confirmation, before its commit', EVENTS, true],
  ])(
    '%s: another sends it again, under the same ids and in order, and nothing is lost',
    async (_name, confirmed, knowsOfIt) => {
      const queue = `publisher-killed-${process.pid}-${confirmed}`;
      await channel.assertQueue(queue, { durable: true });
      const { id: buildId } = await addUntoldBuild(database, { progressTrigger: queue });
      for (const key of upTo(EVENTS)) await record(buildId, key);

      await publishAndDie(confirmed, knowsOfIt);

      const before = await read(queue);
      expect(before.map(({ id }) => id)).toEqual(upTo(confirmed).map((seq) => `${buildId}:${seq}`));
      expect(await database.ProgressEvent.unpublished()).toBe(EVENTS);

      // The build goes on meanwhile, to its end.
      await record(buildId, EVENTS + 1, true);
      const publisher = startProgressPublisher({
        database,
        amqpUrl: amqpUrl(),
        intervalMs: 50,
        logger: pino({ level: 'silent' }),
      });
      await until(
        'all is published',
        async () => (await database.ProgressEvent.unpublished()) === 0,
        LIMIT_MS,
      );
      await publisher.stop();

      const after = await read(queue);
      expect(after.map(({ id }) => id)).toEqual(upTo(EVENTS + 1).map((seq) => `${buildId}:${seq}`));
      expect(after.map(({ body }) => body)).toEqual(
        await database.ProgressEvent.findAfter(buildId, 0, 100),
      );
      expect(after.slice(0, confirmed).map(({ body }) => body)).toEqual(
        before.map(({ body }) => body),
      );
      await channel.deleteQueue(queue);
    },
  );
});
