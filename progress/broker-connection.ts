import type { Socket } from 'node:net';
import { connect, credentials, type ConfirmChannel, type Message } from 'amqplib';
import type { Logger } from 'pino';
import { withDeadline } from '../timing/deadline.ts';
import type { QueuedMessage } from './outboxes.ts';

const KNOWN_QUEUES = 10_000;
const NOT_FOUND = 404;

/** The broker refuses messages for this queue, or does not confirm them; it may take others. */
export class QueueRefusedError extends Error {
  override readonly name = 'QueueRefusedError';
}

/** There is no such queue: it was never made, or what was in it is lost. */
export class QueueAbsentError extends Error {
  override readonly name = 'QueueAbsentError';
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
  /** Whether there is a queue of this name, also one on a node that is down. */
  hasQueue(queue: string): Promise<boolean>;
  /**
   * Makes a durable queue where there is none of this name.
   *
   * @throws QueueRefusedError where the broker refuses that, or the one that there is; any other error means that the
   * connection cannot be used any more
   */
  makeQueue(queue: string): Promise<void>;
  /**
   * Finds a queue that messages can be published to. It asks the broker once.
   *
   * @throws QueueAbsentError; and as `makeQueue`
   */
  findQueue(queue: string): Promise<void>;
  /**
   * Puts a message into the queue that it names, and waits until the broker has it on disk.
   *
   * @throws QueueAbsentError where the queue is not there any more; QueueRefusedError, too, where the broker does not
   * confirm it in time, or closes the channel for it, and still answers otherwise; and as `makeQueue`
   */
  publish(message: QueuedMessage): Promise<void>;
  close(): Promise<void>;
  /** Ends the connection without the broker. A call that waits for its answer fails at once. */
  abandon(): void;
};

/** Where the broker is. */
export type BrokerAddress = {
  /** amqp://user:password@host:port/vhost, or amqps:// with TLS; user, password and vhost in percent-encoding. */
  readonly amqpUrl: string;
  /** The authority that its certificate is signed by, in PEM; undefined: one that Node trusts. */
  readonly amqpCa?: Buffer | undefined;
};

/**
 * Connects to the broker.
 *
 * @param answerMs time for the broker to connect, to declare a queue, and to confirm a message
 */
export async function connectToBroker(
  { amqpUrl, amqpCa }: BrokerAddress,
  answerMs: number,
  logger: Logger,
): Promise<BrokerConnection> {
  const connection = await connect(amqpUrl, {
    timeout: answerMs,
    ...credentialsIn(amqpUrl),
    ...(amqpCa ? { ca: amqpCa } : {}),
  });
  connection.on('error', (error) => {
    if (!isAbandoned) logger.warn({ err: error }, 'the broker ended the connection');
  });
  // It says so to who publishes alone, and answers anything else as ever.
  connection.on('blocked', (reason) =>
    logger.error(
      { reason, alarm: 'broker_blocked' },
      'RabbitMQ takes no messages until it has room again; the events are kept',
    ),
  );
  const found = new Set<string>();
  let channel: ConfirmChannel | undefined;
  let returned: string | undefined;
  /** What the broker said when it closed the channel. */
  let closedBecause: string | undefined;
  let isAbandoned = false;

  return { hasQueue, makeQueue, findQueue, publish, close, abandon };

  async function close(): Promise<void> {
    try {
      await awaitAnswer(connection.close(), 'closing');
    } finally {
      // Where the broker hangs, amqplib goes on waiting: its socket and its heartbeat would keep the process alive.
      abandon();
    }
  }

  function abandon(): void {
    isAbandoned = true;
    const { stream, heartbeater } = connection.connection;
    heartbeater?.clear();
    stream.destroy(new Error('the connection was given up'));
  }

  async function hasQueue(queue: string): Promise<boolean> {
    try {
      await awaitAnswer((await openChannel()).checkQueue(queue), `looking for ${queue}`);
      return true;
    } catch (error) {
      const { code, message } = error as Error & { code?: number };
      // RabbitMQ says "not found" of one whose node is down, was stopped or does not answer in time, too: that one
      // comes back with all that it holds.
      if (code === NOT_FOUND && message.includes('NOT_FOUND - no queue ')) return false;
      // Declaring it will show whether it may be used.
      if (isRefusal(code)) return true;
      throw error;
    }
  }

  async function makeQueue(queue: string): Promise<void> {
    try {
      const open = await openChannel();
      await awaitAnswer(open.assertQueue(queue, { durable: true }), `declaring ${queue}`);
    } catch (error) {
      const { code, message } = error as Error & { code?: number };
      if (!isRefusal(code)) throw error;
      // The caller may have given its queue a type or a limit, or have it go with its consumer. It is durable, and not
      // another's alone: RabbitMQ compares these two first, and names only the first difference.
      if (!/inequivalent arg '(?:x-|auto_delete)/.test(message))
        throw new QueueRefusedError(`queue ${queue}: ${message}`, { cause: error });
      await awaitAnswer((await openChannel()).checkQueue(queue), `looking at ${queue}`);
    }
    found.add(queue);
    const [oldest] = found;
    if (found.size > KNOWN_QUEUES && oldest !== undefined) found.delete(oldest);
  }

  async function findQueue(queue: string): Promise<void> {
    if (found.has(queue)) return;
    if (!(await hasQueue(queue))) throw new QueueAbsentError(`there is no queue ${queue}`);
    // One that is not durable, or another's alone, is refused.
    await makeQueue(queue);
  }

  async function publish(message: QueuedMessage): Promise<void> {
    const { queue } = message;
    const open = await openChannel();
    let isThere: boolean;
    try {
      isThere = await send(message, open);
    } catch (error) {
      if (error instanceof QueueRefusedError || !(await answersOtherwise())) throw error;
      found.delete(queue);
      const why = closedBecause ?? (error as Error).message;
      throw new QueueRefusedError(`queue ${queue}: ${why}`, { cause: error });
    }
    if (isThere) return;
    found.delete(queue);
    throw new QueueAbsentError(`queue ${queue} is gone`);
  }

  /**
   * Whether the broker answers, after a message that it has not confirmed. It is asked by closing the channel, whose
   * other messages are all confirmed, so that the next one does not share it with what may be confirmed late.
   */
  async function answersOtherwise(): Promise<boolean> {
    try {
      if (channel) await awaitAnswer(channel.close(), 'closing a channel');
      else await openChannel();
      return true;
    } catch {
      return false;
    }
  }

  /** False where the queue is not there. */
  async function send(
    { queue, id, type, timestamp, body }: QueuedMessage,
    open: ConfirmChannel,
  ): Promise<boolean> {
    returned = undefined;
    closedBecause = undefined;
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

  /** A refusal closes the channel but not the connection. */
  async function openChannel(): Promise<ConfirmChannel> {
    if (channel) return channel;
    const open = await awaitAnswer(connection.createConfirmChannel(), 'opening a channel');
    open.on('return', ({ properties }: Message) => {
      returned = properties.messageId as string;
    });
    open.on('error', ({ message }: Error) => {
      closedBecause = message;
    });
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

/** The user and password of an address. amqplib 2.3 reads each byte of an encoded letter as a letter of its own. */
function credentialsIn(amqpUrl: string) {
  const { username, password } = new URL(amqpUrl);
  if (username === '' && password === '') return {};
  return {
    credentials: credentials.plain(decodeURIComponent(username), decodeURIComponent(password)),
  };
}

/** AMQP's soft errors that concern one queue: access refused, not found, locked, precondition failed. */
function isRefusal(code: number | undefined): boolean {
  return code === 403 || code === NOT_FOUND || code === 405 || code === 406;
}
