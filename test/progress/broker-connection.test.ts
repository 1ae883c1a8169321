import { connect, type Channel, type ChannelModel } from 'amqplib';
import { pino } from 'pino';
import { connectToBroker, type BrokerConnection } from '../../progress/broker-connection.ts';
import type { QueuedMessage } from '../../progress/outboxes.ts';
import { amqpUrl } from '../support/addresses.ts';

const ANSWER_MS = 60_000;
const logger = pino({ level: 'silent' });
const queues: string[] = [];

let broker: ChannelModel;
let channel: Channel;
let connection: BrokerConnection;
let queue: string;
/** The messages with which it asked for what came before. */
let asked: string[];

beforeAll(async () => {
  broker = await connect(amqpUrl());
  channel = await broker.createChannel();
});
beforeEach(async () => {
  asked = [];
  queue = `broker-connection-${process.pid}-${Date.now()}-${queues.length}`;
  queues.push(queue);
  connection = await connectToBroker({ amqpUrl: amqpUrl() }, ANSWER_MS, logger, { maxCaughtUp: 2 });
});
afterEach(() => connection.close());
afterAll(async () => {
  for (const each of queues) await channel.deleteQueue(each);
  await broker.close();
});

async function publish(of: string, seq: number): Promise<void> {
  const id = `${of}:${seq}`;
  const message: QueuedMessage = {
    queue,
    of,
    seq,
    id,
    type: undefined,
    timestamp: new Date(0).toISOString(),
    body: {},
  };
  await connection.publish(message, async () => {
    asked.push(id);
    return [];
  });
}

it('asks for nothing of a build that is tried again: another process has sent the first events of the attempt', async () => {
  await publish('build 1', 1);
  await publish('build 1', 2);
  // Another process has published 3.
  await publish('build 1', 4);
  expect(asked).toEqual([]);
});

it('asks for what came before of a build that began before the queue was made', async () => {
  await publish('build 1', 3);
  await publish('build 1', 4);
  expect(asked).toEqual(['build 1:3']);
});

it('forgets of many builds those that it has not published for longest', async () => {
  await publish('build 1', 1);
  await publish('build 2', 1);
  await publish('build 1', 2);
  await publish('build 3', 1);
  await publish('build 1', 3);
  expect(asked).toEqual([]);
  await publish('build 2', 2);
  expect(asked).toEqual(['build 2:2']);
});
