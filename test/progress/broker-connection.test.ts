import { EventEmitter } from 'node:events';
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

/** Opens a channel that is none of the broker's. */
async function withChannel(
  channelInstead: object,
  use: (opening: jest.SpiedFunction<ChannelModel['createConfirmChannel']>) => Promise<void>,
): Promise<void> {
  const opening = jest
    .spyOn(Object.getPrototypeOf(broker) as ChannelModel, 'createConfirmChannel')
    .mockResolvedValue(channelInstead as ConfirmChannel);
  try {
    await use(opening);
  } finally {
    opening.mockRestore();
  }
}

describe('a message that is not confirmed in time', () => {
  const unconfirmed = { on: () => undefined, publish: () => true };

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is refused for its queue where the broker answers otherwise', async () => {
    await withChannel({ ...unconfirmed, close: async () => undefined }, async () => {
      const outcome = publish('1').catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(ANSWER_MS);
      expect(await outcome).toBeInstanceOf(QueueRefusedError);
      expect(await outcome).toMatchObject({
        message: `queue ${queue}: confirming 1: the broker did not answer within ${ANSWER_MS} ms`,
      });
    });
  });

  it('says that the broker is away where that answers nothing else, either', async () => {
    const close = () => new Promise<never>(() => undefined);
    await withChannel({ ...unconfirmed, close }, async () => {
      const outcome = publish('1').catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(2 * ANSWER_MS);
      expect(await outcome).not.toBeInstanceOf(QueueRefusedError);
      expect(await outcome).toMatchObject({
        message: `confirming 1: the broker did not answer within ${ANSWER_MS} ms`,
      });
    });
  });
});

describe('a message for which the channel is closed', () => {
  const why = 'Channel closed by server: 406 (PRECONDITION-FAILED) with message "too large"';
  /** A channel that ends with the first message; with an error where the broker has closed it. */
  const endingChannel = (error?: Error) => {
    const ending = new EventEmitter();
    const publishLast = (...[, , , , confirm]: Parameters<ConfirmChannel['publish']>) => {
      if (error) ending.emit('error', error);
      ending.emit('close');
      confirm?.(new Error('channel closed'), {});
      return true;
    };
    return Object.assign(ending, { publish: publishLast });
  };

  it('is refused for its queue, with what the broker said', async () => {
    await withChannel(endingChannel(new Error(why)), async () => {
      const outcome = publish('1').catch((error: unknown) => error);
      expect(await outcome).toBeInstanceOf(QueueRefusedError);
      expect(await outcome).toMatchObject({ message: `queue ${queue}: ${why}` });
    });
  });

  it('says that the broker is away where the connection is lost with it', async () => {
    await withChannel(endingChannel(), async (opening) => {
      opening
        .mockResolvedValueOnce(endingChannel() as unknown as ConfirmChannel)
        .mockRejectedValue(new Error('Connection closed'));
      const outcome = publish('1').catch((error: unknown) => error);
      expect(await outcome).not.toBeInstanceOf(QueueRefusedError);
      expect(await outcome).toMatchObject({ message: 'channel closed' });
    });
  });
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
  await withChannel(refusing, async () => {
    expect(await connection.hasQueue(queue)).toBe(true);
    await expect(connection.findQueue(queue)).rejects.toThrow(QueueRefusedError);
  });
});
