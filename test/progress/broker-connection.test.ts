import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { pino } from 'pino';
import {
  connectToBroker,
  QueueAbsentError,
  QueueRefusedError,
  type BrokerConnection,
} from '../../progress/broker-connection.ts';
import { amqpUrl } from '../support/addresses.ts';
import { readQueue } from '../support/read-queue.ts';

const ANSWER_MS = 60_000;
const logger = pino({ level: 'silent' });
const queues: string[] = [];

let broker: ChannelModel;
let channel: Channel;
let connection: BrokerConnection;
let queue: string;

beforeAll(async () => {
  broker = await connect(amqpUrl());
  channel = await broker.createChannel();
});
beforeEach(async () => {
  queue = `broker-connection-${process.pid}-${Date.now()}-${queues.length}`;
  queues.push(queue);
  connection = await connectToBroker({ amqpUrl: amqpUrl() }, ANSWER_MS, logger);
});
afterEach(() => connection.close());
afterAll(async () => {
  for (const each of queues) await channel.deleteQueue(each);
  await broker.close();
});

const publish = (id: string) =>
  connection.publish({
    queue,
    id,
    type: undefined,
    timestamp: new Date(0).toISOString(),
    body: {},
  });

it('makes no queue by itself: first it must be known what a lost one held', async () => {
  await expect(connection.findQueue(queue)).rejects.toThrow(QueueAbsentError);
  await expect(publish('1')).rejects.toThrow(QueueAbsentError);
  expect(await connection.hasQueue(queue)).toBe(false);

  await connection.makeQueue(queue);
  expect(await connection.hasQueue(queue)).toBe(true);
  await connection.findQueue(queue);
  await publish('1');
  expect((await readQueue(channel, queue)).map(({ properties }) => properties.messageId)).toEqual([
    '1',
  ]);
});

it('says that a queue is gone that it has found before', async () => {
  await channel.assertQueue(queue, { durable: true });
  await connection.findQueue(queue);
  await publish('1');
  await channel.deleteQueue(queue);

  await connection.findQueue(queue);
  await expect(publish('2')).rejects.toThrow(QueueAbsentError);
  await expect(connection.findQueue(queue)).rejects.toThrow(QueueAbsentError);
});

it.each([
  ["home node 'rabbit@b' of durable queue 'q' in vhost '/' is down or inaccessible"],
  ["queue 'q' in vhost '/' process is stopped by supervisor"],
  ["failed to perform operation on queue 'q' in vhost '/' due to timeout"],
])('says of a queue that is not lost that it is refused: %s', async (why) => {
  const down = Object.assign(
    new Error(`Operation failed: QueueDeclare; 404 (NOT-FOUND) with message "NOT_FOUND - ${why}"`),
    { code: 404 },
  );
  const refuse = () => Promise.reject(down);
  const refusing = { on: () => undefined, checkQueue: refuse, assertQueue: refuse };
  const opened = jest
    .spyOn(Object.getPrototypeOf(broker) as ChannelModel, 'createConfirmChannel')
    .mockResolvedValue(refusing as unknown as ConfirmChannel);
  try {
    expect(await connection.hasQueue(queue)).toBe(true);
    await expect(connection.findQueue(queue)).rejects.toThrow(QueueRefusedError);
  } finally {
    opened.mockRestore();
  }
});
