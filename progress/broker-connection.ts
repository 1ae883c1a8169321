import type { Socket } from 'node:net';
import { connect, type ConfirmChannel, type Message } from 'amqplib';
import type { Logger } from 'pino';
import { withDeadline } from '../timing/deadline.ts';
import type { QueuedMessage } from './outboxes.ts';

const KNOWN_QUEUES = 10_000;
/** More than report to one queue at a time. */
const MAX_CAUGHT_UP = 10_000;
const NOT_FOUND = 404;

/** The broker refuses messages for this queue; it may take others. */
export class QueueRefusedError extends Error {
  override readonly name = 'QueueRefusedError';
}

declare module 'amqplib' {
  /** What amqplib 2.3 keeps of a connection and does not declare. */
  interface Connection {
    stream: Socket;
    heartbeater?: { clear(): void };
  }
}

/** A connection to the broker with one confirm channel. Calls must not overlap. */
export type BrokerConnection = {
  /**
   * Puts a message into the durable queue that it names, declared if absent, and waits until the broker has it on disk.
   * If the queue had to be made and there are earlier events of the same build or landing, these were lost with a deleted queue: `earlier` gives
   * them, and they are sent again first.
   *
   * @throws QueueRefusedError where the broker refuses this queue; any other error means that the connection cannot
   * be used any more
   */
  publish(message: QueuedMessage, earlier: () => Promise<QueuedMessage[]>): Promise<void>;
  close(): Promise<void>;
};

/** Where the broker is. */
export type BrokerAddress = {
  /** amqp://user:password@host:port/vhost, or amqps:// with TLS. */
  readonly amqpUrl: string;
  /** The authority that its certificate is signed by, in PEM; undefined: one that Node trusts. */
  readonly amqpCa?: Buffer | undefined;
};

/**
 * Connects to the broker.
 *
 * @param answerMs time for the broker to connect, to declare a queue, and to confirm a message
 * @param options.maxCaughtUp builds and landings of a queue that it made of which it remembers that their earlier
 * events are there; those that it has not published for longest are forgotten
 */
export async function connectToBroker(
  { amqpUrl, amqpCa }: BrokerAddress,
  answerMs: number,
  logger: Logger,
  { maxCaughtUp = MAX_CAUGHT_UP } = {},
): Promise<BrokerConnection> {
  const connection = await connect(amqpUrl, {
    timeout: answerMs,
    ...(amqpCa ? { ca: amqpCa } : {}),
  });
  connection.on('error', (error) => logger.warn({ err: error }, 'the broker ended the connection'));
  const declared = new Set<string>();
  /**
   * Queues that this connection has made, each with what has its earlier events in it, the one that was published last
   * at the end. What has ended stays: of its next attempt, another process may publish the first events.
   */
  const made = new Map<string, Set<string>>();
  let channel: ConfirmChannel | undefined;
  let returned: string | undefined;

  return { publish, close };

  async function close(): Promise<void> {
    try {
      await awaitAnswer(connection.close(), 'closing');
    } finally {
      // Where the broker hangs, amqplib goes on waiting: its socket and its heartbeat would keep the process alive.
      const { stream, heartbeater } = connection.connection;
      heartbeater?.clear();
      stream.destroy();
    }
  }

  async function publish(
    message: QueuedMessage,
    earlier: () => Promise<QueuedMessage[]>,
  ): Promise<void> {
    const { queue, of } = message;
    const sendAll = async () => {
      if (!declared.has(queue)) await declare(queue);
      const caughtUp = made.get(queue);
      if (caughtUp && !caughtUp.has(of) && message.seq > 1)
        for (const one of await earlier()) if (!(await send(one))) return false;
      caughtUp?.delete(of);
      if (caughtUp) addBounded(caughtUp, of, maxCaughtUp);
      return send(message);
    };
    if (await sendAll()) return;
    // A queue that was deleted since: a caller that starts over gets a new one.
    declared.delete(queue);
    if (!(await sendAll())) throw new QueueRefusedError(`queue ${queue} vanishes`);
  }

  /** False where the queue is not there. */
  async function send({ queue, id, type, timestamp, body }: QueuedMessage): Promise<boolean> {
    const open = await openChannel();
    returned = undefined;
    await awaitAnswer(
      new Promise<void>((resolve, reject) => {
        open.publish(
          '',
          queue,
          Buffer.from(JSON.stringify(body)),
          {
            mandatory: true,
            persistent: true,
            messageId: id,
            ...(type === undefined ? {} : { type }),
            timestamp: Math.floor(Date.parse(timestamp) / 1_000),
            contentType: 'application/json',
            contentEncoding: 'utf-8',
            appId: 'airline',
          },
          (error: unknown) => {
            if (error === null || error === undefined) resolve();
            // amqplib has no other sign of a nack, which is how a full queue answers.
            else if ((error as Error).message === 'message nacked')
              reject(new QueueRefusedError(`queue ${queue} takes no message`));
            else reject(error);
          },
        );
      }),
      `confirming ${id}`,
    );
    return returned !== id;
  }

  async function declare(queue: string): Promise<void> {
    made.delete(queue);
    const isThere = await exists(queue);
    try {
      const open = await openChannel();
      await awaitAnswer(open.assertQueue(queue, { durable: true }), `declaring ${queue}`);
    } catch (error) {
      const { code, message } = error as Error & { code?: number };
      if (!isRefusal(code)) throw error;
      // The caller may have given its queue a type or a limit; it is durable, or the error would have named that.
      if (!/inequivalent arg 'x-/.test(message))
        throw new QueueRefusedError(`queue ${queue}: ${message}`, { cause: error });
      await awaitAnswer((await openChannel()).checkQueue(queue), `looking at ${queue}`);
    }
    if (!isThere) made.set(queue, new Set());
    declared.add(queue);
    const [oldest] = declared;
    if (declared.size <= KNOWN_QUEUES || oldest === undefined) return;
    declared.delete(oldest);
    made.delete(oldest);
  }

  async function exists(queue: string): Promise<boolean> {
    try {
      await awaitAnswer((await openChannel()).checkQueue(queue), `looking for ${queue}`);
      return true;
    } catch (error) {
      const { code } = error as Error & { code?: number };
      if (code === NOT_FOUND) return false;
      // Declaring it will show whether it may be used.
      if (isRefusal(code)) return true;
      throw error;
    }
  }

  /** A refusal closes the channel but not the connection. */
  async function openChannel(): Promise<ConfirmChannel> {
    if (channel) return channel;
    const open = await awaitAnswer(connection.createConfirmChannel(), 'opening a channel');
    open.on('return', ({ properties }: Message) => {
      returned = properties.messageId as string;
    });
    open.on('error', () => undefined);
    open.on('close', () => {
      channel = undefined;
    });
    channel = open;
    return open;
  }

  /** @param what the request to the broker, named in the error */
  function awaitAnswer<T>(promise: Promise<T>, what: string): Promise<T> {
    const message = `${what}: the broker did not answer within ${answerMs} ms`;
    return withDeadline(promise, answerMs, message);
  }
}

/** Adds to a set whose oldest member goes where it has more than `max`. */
function addBounded(set: Set<string>, member: string, max: number): void {
  set.add(member);
  const [oldest] = set;
  if (set.size > max && oldest !== undefined) set.delete(oldest);
}

/** AMQP's soft errors that concern one queue: access refused, locked, precondition failed. */
function isRefusal(code: number | undefined): boolean {
  return code === 403 || code === 405 || code === 406;
}
