import type { Logger } from 'pino';
import { shownUrl } from '../domain/access/source-url.ts';
import type { Database } from '../models/database.ts';
import {
  claimDelivery,
  markDelivered,
  markFailed,
  releaseDelivery,
  removeOldDeliveries,
  webhooksWithDue,
  type ClaimedDelivery,
  type TryOutcome,
} from '../models/events/webhook-outbox.ts';
import { backoffMs } from '../timing/backoff.ts';
import { startPollingLoop } from '../timing/polling-loop.ts';
import { tryDelivery, type AddressRules } from './try-delivery.ts';

/** The sender of a process. */
export type WebhookSender = {
  /** Looks for deliveries now instead of after the interval. */
  wake(): void;
  /** Lets the requests under way finish for a limited time, and stops. */
  stop(): Promise<void>;
};

/** How deliveries are tried. */
export type WebhookLimits = {
  /** Time for a whole request. */
  answerMs: number;
  /** Longest wait between two tries of a delivery. */
  maxBackoffMs: number;
  /** A delivery is given up after so many tries. */
  maxTries: number;
  /** A delivery that fails is given up when it was asked for this long ago. */
  maxAgeMs: number;
  /** A webhook of which every try has failed for so long is switched off. */
  failingMs: number;
  /** The log keeps deliveries for so long. */
  keepMs: number;
};

const FIRST_BACKOFF_MS = 5_000;
const POLL_BACKOFF_MS = 30_000;
/** How much longer a claim lasts than the request: time to keep what came of it. */
const CLAIM_MARGIN_MS = 30_000;
/** Time for the requests under way, when the sender stops. */
const LAST_REQUESTS_MS = 5_000;
const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_BATCH = 1_000;
const GONE = 410;

/**
 * Carries the events of builds and landings to the webhooks: for each webhook those of one build or landing in order,
 * each at least once. A webhook has one request under way at a time, of all senders together, and waits for no other
 * webhook; no connection to the database is kept meanwhile. Several senders share the work.
 *
 * @param intervalMs time between two polls for deliveries that nobody woke it for
 */
export function startWebhookSender({
  database,
  rule,
  dialRule,
  intervalMs,
  logger,
  now,
  ...limits
}: {
  database: Pick<Database, 'sequelize' | 'Webhook' | 'WebhookDelivery'>;
  intervalMs: number;
  logger: Logger;
  /** Absent: by the database's clock. */
  now?: () => Date;
} & AddressRules &
  WebhookLimits): WebhookSender {
  /** What is under way, by webhook. There are at most as many as webhooks. */
  const lanes = new Map<number, Promise<void>>();
  const stopping = new AbortController();
  const cutting = new AbortController();

  const loop = startPollingLoop({
    intervalMs,
    maxBackoffMs: POLL_BACKOFF_MS,
    async poll() {
      for (const id of await webhooksWithDue(database, now?.()))
        if (!lanes.has(id))
          lanes.set(
            id,
            sendAll(id)
              .catch(logFailure)
              .finally(() => lanes.delete(id)),
          );
    },
    onError: logFailure,
  });
  const sweep = startPollingLoop({
    intervalMs: SWEEP_INTERVAL_MS,
    async poll(signal) {
      for (let removed = SWEEP_BATCH; removed === SWEEP_BATCH && !signal.aborted;)
        removed = await removeOldDeliveries(database, limits.keepMs, SWEEP_BATCH, now?.());
    },
    onError: logFailure,
  });
  return {
    wake: loop.wake,
    async stop() {
      stopping.abort();
      await Promise.all([loop.stop(), sweep.stop()]);
      const late = setTimeout(() => cutting.abort(), LAST_REQUESTS_MS);
      await Promise.all(lanes.values());
      clearTimeout(late);
    },
  };

  function logFailure(error: unknown): void {
    logger.warn({ err: error }, 'webhooks wait: their deliveries cannot be read or kept now');
  }

  async function sendAll(webhookId: number): Promise<void> {
    const claimMs = limits.answerMs + CLAIM_MARGIN_MS;
    while (!stopping.signal.aborted) {
      const delivery = await claimDelivery(database, webhookId, claimMs, now?.());
      if (!delivery) return;
      const { retryAfterMs, ...outcome } = await tryDelivery(delivery, {
        rule,
        dialRule,
        answerMs: limits.answerMs,
        signal: cutting.signal,
      });
      if (outcome.error === null) await markDelivered(database, delivery, outcome);
      else if (cutting.signal.aborted) await releaseDelivery(database, delivery);
      else await keepFailure(delivery, { ...outcome, error: outcome.error }, retryAfterMs);
    }
  }

  async function keepFailure(
    delivery: ClaimedDelivery,
    outcome: TryOutcome & { error: string },
    retryAfterMs: number,
  ): Promise<void> {
    const { id, webhookId, url, tries, requestedAt, triedAt } = delivery;
    const { error, statusCode } = outcome;
    const isGone = statusCode === GONE;
    const ageMs = triedAt.getTime() - requestedAt.getTime();
    const isOver = isGone || tries >= limits.maxTries || ageMs >= limits.maxAgeMs;
    const waitMs = isOver
      ? null
      : Math.max(
          backoffMs(tries, { firstMs: FIRST_BACKOFF_MS, maxMs: limits.maxBackoffMs }),
          Math.min(retryAfterMs, limits.maxBackoffMs),
        );
    const deactivate = (since: Date, at: Date) => {
      if (isGone) return 'It answered 410: the receiver wants no more requests.';
      // The failures before it may be days old: one that has just begun to fail is tried again first.
      if (!isOver && ageMs < limits.failingMs) return undefined;
      if (at.getTime() - since.getTime() < limits.failingMs) return undefined;
      return `Every request has failed since ${since.toISOString()}. ${error}.`;
    };
    const reason = await markFailed(database, delivery, outcome, { waitMs, deactivate }, now?.());
    const about = { webhookId, deliveryId: id, url: shownUrl(url), tries, error };
    logger.warn({ ...about, waitMs }, 'a webhook was not delivered');
    if (reason !== undefined)
      logger.error({ ...about, reason, alarm: 'webhook_deactivated' }, 'a webhook is switched off');
  }
}
