import type { Logger } from 'pino';
import type { Database } from '../models/database.ts';
import { resendLostEvents } from '../models/events/resend-lost-events.ts';
import { backoffMs } from '../timing/backoff.ts';
import { withDeadline } from '../timing/deadline.ts';
import { startPollingLoop } from '../timing/polling-loop.ts';
import {
  connectToBroker,
  QueueAbsentError,
  QueueRefusedError,
  type BrokerAddress,
  type BrokerConnection,
} from './broker-connection.ts';
import { asSpan } from './message-span.ts';
import { outboxesOf, type Outbox, type QueuedMessage } from './outboxes.ts';

/** The publisher of a process. */
export type ProgressPublisher = {
  /** Polls for events now instead of after the interval. */
  wake(): void;
  /** Publishes the waiting events if the broker answers, and stops in limited time. */
  stop(): Promise<void>;
};

const BROKER_BACKOFF = { firstMs: 200, maxMs: 30_000 };
const REFUSED_BACKOFF = { firstMs: 400, maxMs: 30_000 };
/** How many refused queues a publisher remembers, and tries in one turn. */
const MAX_REFUSED = 1_000;
const STOP_MS = 5_000;
/** How much of the time to stop is for messages; the rest is for the connection to be closed. */
const LAST_ROUND_SHARE = 0.8;

/**
 * Carries the events of builds and landings from their rows to the queues of the callers: each one's in order, each at
 * least once. It connects when there is something to publish. While the broker is down, builds and landings go on and
 * their events wait; a queue that the broker refuses, or confirms nothing for, holds up only the events of those that
 * report to it. Several publishers share the work.
 *
 * @param intervalMs time between two polls for events that nobody woke it for
 * @param answerMs time for one answer of the broker; after as long, builds and landings take turns
 * @param maxRefused refused queues that it remembers, and tries in one turn
 * @param stopMs time to stop, with the round under way and a last one
 */
export function startProgressPublisher({
  database,
  amqpUrl,
  amqpCa,
  intervalMs,
  answerMs = 10_000,
  maxRefused = MAX_REFUSED,
  stopMs = STOP_MS,
  logger,
}: {
  database: Pick<Database, 'sequelize' | 'ProgressEvent' | 'LandingEvent'>;
  intervalMs: number;
  answerMs?: number;
  maxRefused?: number;
  stopMs?: number;
  logger: Logger;
} & BrokerAddress): ProgressPublisher {
  /** By the name of the queue; the one that was refused last comes last. Until when is by a clock that nobody sets. */
  const refused = new Map<string, { untilMs: number; refusals: number }>();
  /** Each with whom it tried last. The next turn starts after that one, or refused ones would fill every turn. */
  const lanes = outboxesOf(database).map((outbox) => ({ outbox, triedId: 0 }));
  let connection: BrokerConnection | undefined;
  let isBrokerAway = false;
  /** It is to stop, and its time is over. */
  let isGivenUp = false;

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
      try {
        await withDeadline(publishLastRound(), stopMs);
      } catch {
        isGivenUp = true;
        logger.warn('progress events stay for others: they cannot be published before the stop');
        connection?.abandon();
      }
    },
  };

  async function publishLastRound(): Promise<void> {
    const untilMs = performance.now() + stopMs * LAST_ROUND_SHARE;
    await loop.stop();
    if (!isBrokerAway && !isGivenUp)
      await publishRound(() => performance.now() < untilMs).catch(logFailure);
    await disconnect();
  }

  function logFailure(error: unknown, next?: { waitMs: number }): void {
    logger.warn({ err: error, ...next }, 'progress events wait: they cannot be published now');
  }

  /**
   * Publishes one after the other until none has an event that can be published now.
   *
   * @throws the error of the broker or the database
   */
  async function publishRound(hasTime: () => boolean): Promise<void> {
    try {
      if (!connection && !(await hasEvents())) return;
      connection ??= await connectToBroker({ amqpUrl, amqpCa }, answerMs, logger);
      for (let isMore = true; isMore && hasTime();) {
        isMore = false;
        for (const lane of lanes) if (await publishLane(lane, connection, hasTime)) isMore = true;
      }
      isBrokerAway = false;
    } catch (error) {
      isBrokerAway = true;
      await disconnect();
      throw error;
    } finally {
      // Nobody waits for a connection that came too late, but it would keep the process.
      if (isGivenUp) connection?.abandon();
    }
  }

  async function hasEvents(): Promise<boolean> {
    for (const { outbox } of lanes) if ((await outbox.unpublished(1)) > 0) return true;
    return false;
  }

  /**
   * Publishes what waits in one outbox, until that is nothing or the others are to have their turn.
   *
   * @returns whether another turn is worth it now
   */
  async function publishLane(
    lane: { outbox: Outbox; triedId: number },
    open: BrokerConnection,
    hasTime: () => boolean,
  ): Promise<boolean> {
    const { outbox } = lane;
    let refusals = 0;
    /** A queue that confirms nothing takes so long. */
    const lateMs = performance.now() + answerMs;
    /** The queue that was made last, to which nothing has been published yet. */
    let made: string | undefined;
    const publish = async (message: QueuedMessage) => {
      await open.findQueue(message.queue);
      await asSpan(message, () => open.publish(message));
    };
    while (refusals < maxRefused && hasTime()) {
      const outcome = await outbox.publishNext(publish, {
        afterId: lane.triedId,
        refusedQueues: refusedNow(),
      });
      if (!outcome) {
        if (lane.triedId === 0) break;
        lane.triedId = 0;
        continue;
      }
      const { id, queue } = outcome;
      lane.triedId = id;
      let { fault } = outcome;
      if (fault instanceof QueueAbsentError && queue !== made) {
        fault = await makeLostQueue(queue, open);
        if (fault === undefined) {
          made = queue;
          // The same one again, now with all that it has lost.
          lane.triedId = id - 1;
          continue;
        }
      }
      made = undefined;
      if (fault instanceof QueueRefusedError || fault instanceof QueueAbsentError) {
        refuse(queue, fault);
        refusals += 1;
      } else if (fault !== undefined) throw fault;
      else refused.delete(queue);
      // After a refusal it may be another one that takes as long: that waits for the next round.
      if (performance.now() >= lateMs) return fault === undefined;
    }
    return false;
  }

  /**
   * Makes a queue that is not there, once what it may have held is to be published again.
   *
   * @returns the refusal of the broker, if it refuses
   */
  async function makeLostQueue(queue: string, open: BrokerConnection): Promise<unknown> {
    await resendLostEvents(database.sequelize, queue, async () => !(await open.hasQueue(queue)));
    try {
      await open.makeQueue(queue);
    } catch (error) {
      if (error instanceof QueueRefusedError) return error;
      throw error;
    }
    return undefined;
  }

  async function disconnect(): Promise<void> {
    // It cannot be used any more, and may be closed already.
    await connection?.close().catch(() => undefined);
    connection = undefined;
  }

  function refusedNow(): string[] {
    const nowMs = performance.now();
    return [...refused].filter(([, { untilMs }]) => untilMs > nowMs).map(([queue]) => queue);
  }

  function refuse(queue: string, error: Error): void {
    const refusals = (refused.get(queue)?.refusals ?? 0) + 1;
    const waitMs = backoffMs(refusals, REFUSED_BACKOFF);
    refused.delete(queue);
    refused.set(queue, { untilMs: performance.now() + waitMs, refusals });
    const [oldest] = refused.keys();
    if (refused.size > maxRefused && oldest !== undefined) refused.delete(oldest);
    logger.error(
      { queue, waitMs, err: error, alarm: 'progress_queue_refused' },
      'the broker refuses a progress queue; its events are kept',
    );
  }
}
