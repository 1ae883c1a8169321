import { setTimeout as delay } from 'node:timers/promises';
import amqp, { type ChannelModel, type ConsumeMessage } from 'amqplib';

const CONNECT_MS = 5_000;
const HEARTBEAT_S = 5;
const RETRY_MS = 300;
const PREFETCH = 20;
/**
 * A message is worked on for so long before it is acknowledged, so that a lost connection leaves some unacknowledged.
 */
const WORK_MS = 20;

/** One message as the broker handed it over. */
export type Delivery = {
  queue: string;
  messageId: string;
  redelivered: boolean;
  body: string;
};

export type ProgressConsumer = {
  /** All of them, in the order in which they came, repetitions included. */
  deliveries: Delivery[];
  /** How often it connected. */
  connects(): number;
  stop(): Promise<void>;
};

/** Consumes progress queues as a lander does: acknowledges each message when it has worked on it, and reconnects. */
export function startProgressConsumer(
  amqpUrl: string,
  queues: readonly string[],
): ProgressConsumer {
  const deliveries: Delivery[] = [];
  const stopping = new AbortController();
  let connects = 0;
  const ended = run();
  return {
    deliveries,
    connects: () => connects,
    async stop() {
      stopping.abort();
      await ended;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await consume();
      } catch {
        // The broker is away: that is what this run is about.
      }
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** Resolves or throws when the connection has ended. */
  async function consume(): Promise<void> {
    const connection = await amqp.connect(`${amqpUrl}?heartbeat=${HEARTBEAT_S}`, {
      timeout: CONNECT_MS,
    });
    const closed = new Promise<void>((resolve) => connection.once('close', () => resolve()));
    // `close` follows.
    connection.on('error', () => undefined);
    try {
      await Promise.race([subscribe(connection), closed]);
      connects += 1;
      await Promise.race([
        closed,
        new Promise((resolve) =>
          stopping.signal.addEventListener('abort', resolve, { once: true }),
        ),
      ]);
    } finally {
      await Promise.race([connection.close().catch(() => undefined), delay(CONNECT_MS)]);
    }
  }

  async function subscribe(connection: ChannelModel): Promise<void> {
    const channel = await connection.createChannel();
    let isOpen = true;
    channel.once('close', () => (isOpen = false));
    channel.on('error', () => undefined);
    connection.once('close', () => (isOpen = false));
    await channel.prefetch(PREFETCH);
    for (const queue of queues) {
      await channel.assertQueue(queue, { durable: true });
      await channel.consume(queue, (message) => {
        if (message) void take(queue, message);
      });
    }

    async function take(queue: string, message: ConsumeMessage): Promise<void> {
      deliveries.push({
        queue,
        messageId: String(message.properties.messageId),
        redelivered: message.fields.redelivered,
        body: message.content.toString('utf8'),
      });
      await delay(WORK_MS);
      // Not acknowledged on a connection that is gone, it comes again.
      if (isOpen) channel.ack(message);
    }
  }
}
