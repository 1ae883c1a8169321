import type { Logger } from 'pino';
import type { ProgressMessage } from '../domain/progress.ts';
import type { Database } from '../models/database.ts';
import { backoffMs } from '../timing/backoff.ts';
import { startPollingLoop } from '../timing/polling-loop.ts';
import { connectToBroker, QueueRefusedError, type BrokerConnection } from './broker-connection.ts';

/** The publisher of a process. */
export type ProgressPublisher = {
  /** Polls for events now instead of after the interval. */
  wake(): void;
  /** Publishes the waiting events if the broker answers, and stops. */
  stop(): Promise<void>;
};

const BROKER_BACKOFF = { firstMs: 200, maxMs: 30_000 };
const REFUSED_BACKOFF = { firstMs: 400, maxMs: 30_000 };
/** How many refused queues a publisher remembers, and tries in one round. */
const MAX_REFUSED = 1_000;
/** Events that are sent again into a queue that had to be made anew: more than a build has in a day. */
const MAX_EARLIER = 1_000;
/** Time for the last round, when the publisher stops. */
const LAST_ROUND_MS = 5_000;

/**
 * Carries progress events from their rows to the queues of the callers: each build's in order, each at least once.
 * It connects when there is something to publish. While the broker is down, builds go on and their events wait; a
 * queue that the broker refuses holds up only the events of the builds that report to it. Several publishers
 * share the work.
 *
 * @param intervalMs time between two polls for events that nobody woke it for
 * @param answerMs time for one answer of the broker
 * @param maxRefused refused queues that it remembers, and tries in one round
 */
export function startProgressPublisher({
  database,
  amqpUrl,
  intervalMs,
  answerMs = 10_000,
  maxRefused = MAX_REFUSED,
  logger,
}: {
  database: Pick<Database, 'ProgressEvent'>;
  amqpUrl: string;
  intervalMs: number;
  answerMs?: number;
  maxRefused?: number;
  logger: Logger;
}): ProgressPublisher {
  /** By the name of the queue; the one that was refused last comes last. */
  const refused = new Map<string, { untilMs: number; refusals: number }>();
  /** The build that was tried last. The next round starts after it, or refused builds would fill every round. */
  let triedId = 0;
  let connection: BrokerConnection | undefined;
  let isBrokerAway = false;

  const loop = startPollingLoop({
    intervalMs,
    firstBackoffMs: BROKER_BACKOFF.firstMs,
    maxBackoffMs: BROKER_BACKOFF.maxMs,
    poll: (signal) => publishRound(() => !signal.aborted),
    onError: logFailure,
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      const untilMs = Date.now() + LAST_ROUND_MS;
      if (!isBrokerAway) await publishRound(() => Date.now() < untilMs).catch(logFailure);
      await disconnect();
    },
  };

  function logFailure(error: unknown, next?: { waitMs: number }): void {
    logger.warn({ err: error, ...next }, 'progress events wait: they cannot be published now');
  }

  /**
   * Publishes build after build until none has an event that can be published now.
   *
   * @throws the error of the broker or the database
   */
  async function publishRound(hasTime: () => boolean): Promise<void> {
    let refusals = 0;
    try {
      if (!connection && (await database.ProgressEvent.unpublished()) === 0) return;
      connection ??= await connectToBroker(amqpUrl, answerMs, logger);
      while (refusals < maxRefused && hasTime()) {
        const outcome = await database.ProgressEvent.publishNextBuild(publish, {
          afterId: triedId,
          refusedQueues: refusedNow(),
        });
        if (!outcome) {
          if (triedId === 0) break;
          triedId = 0;
          continue;
        }
        triedId = outcome.buildId;
        if (outcome.fault instanceof QueueRefusedError) {
          refuse(outcome.queue, outcome.buildId, outcome.fault);
          refusals += 1;
        } else if (outcome.fault !== undefined) throw outcome.fault;
        else refused.delete(outcome.queue);
      }
      isBrokerAway = false;
    } catch (error) {
      isBrokerAway = true;
      await disconnect();
      throw error;
    }
  }

  function publish(message: ProgressMessage): Promise<void> {
    if (!connection) throw new Error('there is no connection to the broker');
    return connection.publish(message, () => earlierEvents(message));
  }

  /** The earlier events of the attempt that an event belongs to. */
  async function earlierEvents({ build_id: buildId, seq }: ProgressMessage) {
    const earlier: ProgressMessage[] = [];
    const first = Math.max(0, seq - 1 - MAX_EARLIER);
    for (const event of await database.ProgressEvent.findAfter(buildId, first, MAX_EARLIER)) {
      if (event.seq >= seq) break;
      earlier.push(event);
      // Events up to a final one belong to an earlier attempt: a caller must not take them for the retry's.
      if (event.exit) earlier.length = 0;
    }
    return earlier;
  }

  async function disconnect(): Promise<void> {
    const leaving = connection;
    connection = undefined;
    // It cannot be used any more, and may be closed already.
    await leaving?.close().catch(() => undefined);
  }

  function refusedNow(): string[] {
    const now = Date.now();
    return [...refused].filter(([, { untilMs }]) => untilMs > now).map(([queue]) => queue);
  }

  function refuse(queue: string, buildId: number, error: QueueRefusedError): void {
    const refusals = (refused.get(queue)?.refusals ?? 0) + 1;
    const waitMs = backoffMs(refusals, REFUSED_BACKOFF);
    refused.delete(queue);
    refused.set(queue, { untilMs: Date.now() + waitMs, refusals });
    const [oldest] = refused.keys();
    if (refused.size > maxRefused && oldest !== undefined) refused.delete(oldest);
    logger.error(
      { queue, buildId, waitMs, err: error, alarm: 'progress_queue_refused' },
      'the broker refuses a progress queue; its events are kept',
    );
  }
}
