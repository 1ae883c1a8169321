import { connect, type Channel, type ChannelModel } from 'amqplib';
import { pino } from 'pino';
import { connectToBroker, type BrokerConnection } from '../../progress/broker-connection.ts';
import type { QueuedMessage } from '../../progress/outboxes.ts';
import { amqpUrl } from '../support/addresses.ts';

const ANSWER_MS = 60_000;
const QUEUE = `broker-connection-${process.pid}-${Date.now()}`;

let broker: ChannelModel;
let channel: Channel;
let connection: BrokerConnection;

beforeAll(async () => {
  broker = await connect(amqpUrl());
  channel = await broker.createChannel();
  const logger = pino({ level: 'silent' });
  connection = await connectToBroker({ amqpUrl: amqpUrl() }, ANSWER_MS, logger);
});
afterAll(async () => {
  await channel.deleteQueue(QUEUE);
  await connection.close();
  await broker.close();
});

it('remembers a build until its end: of one that is tried again it asks for what came before', async () => {
  const asked: string[] = [];
  const publish = (seq: number, isFinal = false) => {
    const id = `build 1:${seq}`;
    const message: QueuedMessage = {
      queue: QUEUE,
      of: 'build 1',
      seq,
      isFinal,
      id,
      type: undefined,
      timestamp: new Date(0).toISOString(),
      body: {},
    };
    return connection.publish(message, async () => {
      asked.push(id);
      return [];
    });
  };
  await publish(1);
  await publish(2);
  await publish(3, true);
  expect(asked).toEqual([]);
  await publish(4);
  await publish(5);
  expect(asked).toEqual(['build 1:4']);
});
