import amqp, { type ConsumeMessage } from 'amqplib';
import { isFinal, type ProgressMessage } from '../../domain/builds/progress.ts';

const PREFETCH = 500;

/** What came of one build. */
export type BuildTally = {
  messages: number;
  finals: number;
  /** A `seq` came that was not the next one. */
  isOutOfOrder: boolean;
  /** When the first final message came, and the failure that it told of. */
  receivedAtMs: number;
  failure: string | undefined;
};

/** A consumer of one queue that takes the messages of many builds. */
export type ProgressTally = {
  builds: ReadonlyMap<number, BuildTally>;
  /** Builds whose final message has come. */
  ended: () => number;
  /** Failures that have come, for callers that wait for builds that must not fail. */
  failures: () => string[];
  stop: () => Promise<void>;
};

/** Consumes a durable queue, declared if absent, and keeps count of what came of each build. */
export async function startProgressTally(amqpUrl: string, queue: string): Promise<ProgressTally> {
  const builds = new Map<number, BuildTally>();
  const connection = await amqp.connect(amqpUrl);
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, { durable: true });
  await channel.prefetch(PREFETCH);
  await channel.consume(queue, (delivery: ConsumeMessage | null) => {
    if (!delivery) throw new Error(`The queue ${queue} was deleted.`);
    const message = JSON.parse(delivery.content.toString('utf8')) as ProgressMessage;
    builds.set(message.build_id, count(builds.get(message.build_id), message, Date.now()));
    channel.ack(delivery);
  });
  return {
    builds,
    ended: () => [...builds.values()].filter(({ finals }) => finals > 0).length,
    failures: () => [...builds.values()].flatMap(({ failure }) => failure ?? []),
    stop: async () => {
      await channel.close();
      await connection.close();
    },
  };
}

/** The tally of a build with one more message. */
export function count(
  before: BuildTally | undefined,
  message: Pick<ProgressMessage, 'seq' | 'message' | 'failure'>,
  atMs: number,
): BuildTally {
  const tally = before ?? {
    messages: 0,
    finals: 0,
    isOutOfOrder: false,
    receivedAtMs: Number.NaN,
    failure: undefined,
  };
  const isEnd = isFinal(message.message);
  return {
    ...tally,
    messages: tally.messages + 1,
    finals: tally.finals + (isEnd ? 1 : 0),
    isOutOfOrder: tally.isOutOfOrder || message.seq !== tally.messages + 1 || tally.finals > 0,
    ...(isEnd && tally.finals === 0
      ? {
          receivedAtMs: atMs,
          failure: message.failure && `${message.failure.class}: ${message.failure.message}`,
        }
      : {}),
  };
}
