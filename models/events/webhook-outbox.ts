import { Op } from 'sequelize';
import type { LandingEventBody } from '../../domain/landings/landing.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { MAX_COUNTED_EVENTS } from '../../domain/service/counted-events.ts';
import type { Database } from '../database.ts';
import { query } from '../sql/query.ts';

type WithSequelize = Pick<Database, 'sequelize'>;
type WithDeliveries = Pick<Database, 'Webhook' | 'WebhookDelivery'>;

/**
 * A delivery that this process alone sends, until its claim lapses. What came of it changes nothing after that: another
 * process has the delivery.
 */
export type ClaimedDelivery = {
  readonly id: number;
  readonly webhookId: number;
  /** The build or the landing of its event; both are null for a ping, as are `seq` and `body`. */
  readonly buildId: number | null;
  readonly landingId: number | null;
  readonly seq: number | null;
  /** Asked for again after it had ended. */
  readonly isResend: boolean;
  readonly body: ProgressMessage | LandingEventBody | null;
  readonly url: string;
  readonly secret: string;
  /** This one included. */
  readonly tries: number;
  readonly requestedAt: Date;
  readonly triedAt: Date;
  readonly claimedUntil: Date;
};

/** What came of a try. */
export type TryOutcome = {
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Null where it was delivered. */
  readonly error: string | null;
};

// Several processes share the deliveries, and their clocks differ: what all go by is the database's.
/**
 * Now, as SQL. It is a query of its own, since that is run once: an index finds nothing by a clock that goes on.
 *
 * @param place the number of the bound value that may give another time
 */
const nowSql = (place: number) =>
  `(SELECT date_trunc('milliseconds', coalesce($${place}::timestamptz, clock_timestamp())))`;

/**
 * The active webhooks that have a delivery that is due, and none that is being sent.
 *
 * @param now absent: by the database's clock, here and below
 */
export async function webhooksWithDue({ sequelize }: WithSequelize, now?: Date): Promise<number[]> {
  const rows = await query<{ id: number }>(
    sequelize,
    `SELECT id FROM webhook WHERE is_active AND EXISTS (
       SELECT FROM webhook_delivery
       WHERE webhook_id = webhook.id AND state = 'pending' AND next_try_at <= ${nowSql(1)}
     ) AND NOT EXISTS (
       SELECT FROM webhook_delivery WHERE webhook_id = webhook.id AND claimed_until > ${nowSql(1)}
     )`,
    [now ?? null],
  );
  return rows.map(({ id }) => id);
}

/**
 * How many deliveries wait for the webhooks that are active, counted up to a limit. Those of each webhook are asked for
 * in the order of an index, or PostgreSQL may read the whole log for the first that waits.
 */
export async function countPendingDeliveries(
  { sequelize }: WithSequelize,
  limit = MAX_COUNTED_EVENTS,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    sequelize,
    `SELECT count(*)::integer AS count FROM (
       SELECT FROM webhook CROSS JOIN LATERAL (
         SELECT FROM webhook_delivery WHERE webhook_id = webhook.id AND state = 'pending'
         ORDER BY next_try_at LIMIT ${limit}
       ) of_webhook WHERE is_active LIMIT ${limit}
     ) waiting`,
  );
  return row?.count ?? 0;
}

const LOCKED_WEBHOOK =
  'SELECT FROM webhook WHERE id = $1 AND is_active FOR NO KEY UPDATE SKIP LOCKED';
const CLAIM = `
  WITH claimed AS (
    UPDATE webhook_delivery
    SET tries = tries + 1, tried_at = ${nowSql(2)}, claimed_until = ${nowSql(2)} + $3 * interval '1 ms'
    WHERE id = (
      SELECT id FROM webhook_delivery due
      WHERE webhook_id = $1 AND state = 'pending' AND next_try_at <= ${nowSql(2)}
        AND NOT EXISTS (
          SELECT FROM webhook_delivery WHERE webhook_id = $1 AND claimed_until > ${nowSql(2)}
        )
        AND (is_resend OR NOT EXISTS (
          SELECT FROM webhook_delivery earlier
          WHERE earlier.webhook_id = $1 AND earlier.state = 'pending' AND NOT earlier.is_resend
            AND (earlier.build_id = due.build_id OR earlier.landing_id = due.landing_id)
            AND earlier.seq < due.seq
        ))
      ORDER BY next_try_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *
  )
  SELECT claimed.id, webhook_id AS "webhookId", build_id AS "buildId", landing_id AS "landingId", seq,
    is_resend AS "isResend", COALESCE(progress_event.body, landing_event.body) AS body, url, secret,
    tries, requested_at AS "requestedAt", tried_at AS "triedAt", claimed_until AS "claimedUntil"
  FROM claimed JOIN webhook ON webhook.id = webhook_id
    LEFT JOIN progress_event USING (build_id, seq)
    LEFT JOIN landing_event USING (landing_id, seq)`;

/**
 * Takes the delivery of a webhook that is due for longest and whose build or landing has no earlier one that waits. A
 * webhook has one delivery that is taken, whoever has it. No connection is kept for the claim, so that a receiver may
 * take its time.
 *
 * @param claimMs a claim that is not settled lapses after this: its process may be gone
 * @returns undefined where nothing is due, or another has a delivery of the webhook, or is about to take one
 */
export async function claimDelivery(
  { sequelize }: WithSequelize,
  webhookId: number,
  claimMs: number,
  now?: Date,
): Promise<ClaimedDelivery | undefined> {
  return sequelize.transaction(async (transaction) => {
    // By a statement of its own: the next one sees the claim of whoever has locked the row before.
    const locked = await query(sequelize, LOCKED_WEBHOOK, [webhookId], transaction);
    if (locked.length === 0) return undefined;
    const values = [webhookId, now ?? null, claimMs];
    const [claimed] = await query<ClaimedDelivery>(sequelize, CLAIM, values, transaction);
    return claimed;
  });
}

/** Keeps that a delivery has arrived. */
export async function markDelivered(
  { Webhook, WebhookDelivery }: WithDeliveries,
  { id, webhookId, claimedUntil }: ClaimedDelivery,
  { statusCode, durationMs }: TryOutcome,
): Promise<void> {
  const [kept] = await WebhookDelivery.update(
    { state: 'delivered', claimedUntil: null, statusCode, durationMs, error: null },
    { where: { id, claimedUntil } },
  );
  if (kept === 0) return;
  await Webhook.update(
    { failingSince: null },
    { where: { id: webhookId, failingSince: { [Op.not]: null } } },
  );
}

/**
 * Keeps that a try failed, and what follows from it, as one change. The later events of the build or landing wait with
 * this one, unless it is one that is sent again.
 *
 * @param next.waitMs time until it is tried again; null: it is given up
 * @param next.deactivate why the webhook is switched off, given since when it fails; undefined: it is not
 * @returns why the webhook was switched off by this
 */
export async function markFailed(
  { sequelize, Webhook, WebhookDelivery }: WithSequelize & WithDeliveries,
  { id, webhookId, buildId, landingId, isResend, claimedUntil }: ClaimedDelivery,
  { statusCode, durationMs, error }: TryOutcome,
  next: {
    waitMs: number | null;
    deactivate: (failingSince: Date, now: Date) => string | undefined;
  },
  now?: Date,
): Promise<string | undefined> {
  return sequelize.transaction(async (transaction) => {
    // The webhook before its deliveries, as a deletion does: else the two could wait for each other.
    const [webhook] = await query<{ failingSince: Date | null; now: Date; tryAt: Date | null }>(
      sequelize,
      `SELECT failing_since AS "failingSince", ${nowSql(2)} AS now, ${nowSql(2)} + $3 * interval '1 ms' AS "tryAt"
       FROM webhook WHERE id = $1 FOR NO KEY UPDATE`,
      [webhookId, now ?? null, next.waitMs],
      transaction,
    );
    const nextTryAt = webhook?.tryAt ?? undefined;
    const [kept] = await WebhookDelivery.update(
      {
        state: next.waitMs === null ? 'failed' : 'pending',
        claimedUntil: null,
        ...(nextTryAt && { nextTryAt }),
        statusCode,
        durationMs,
        error,
      },
      { where: { id, claimedUntil }, transaction },
    );
    if (!webhook || kept === 0) return undefined;
    const failingSince = webhook.failingSince ?? webhook.now;
    await Webhook.update({ failingSince }, { where: { id: webhookId }, transaction });
    // A ping has no later ones.
    const isPing = buildId === null && landingId === null;
    if (nextTryAt && !isPing && !isResend)
      await WebhookDelivery.update(
        { nextTryAt },
        {
          where: {
            webhookId,
            ...(buildId === null ? { landingId } : { buildId }),
            state: 'pending',
            isResend: false,
            nextTryAt: { [Op.lt]: nextTryAt },
            claimedUntil: null,
          },
          transaction,
        },
      );
    const reason = next.deactivate(failingSince, webhook.now);
    if (reason !== undefined)
      await Webhook.update(
        { isActive: false, inactiveReason: reason },
        { where: { id: webhookId, isActive: true }, transaction },
      );
    return reason;
  });
}

/** Gives a claimed delivery back, to be tried at once by whoever comes first. */
export async function releaseDelivery(
  { WebhookDelivery }: WithDeliveries,
  { id, claimedUntil }: ClaimedDelivery,
): Promise<void> {
  await WebhookDelivery.update({ claimedUntil: null }, { where: { id, claimedUntil } });
}

/**
 * Removes old deliveries from the log: those that have ended, and all of inactive webhooks, what waits as well.
 *
 * @param keepMs those stay that were asked for within so long
 * @param limit most in one call
 * @returns how many were removed
 */
export async function removeOldDeliveries(
  { sequelize }: WithSequelize,
  keepMs: number,
  limit: number,
  now?: Date,
): Promise<number> {
  const removed = await query(
    sequelize,
    `DELETE FROM webhook_delivery WHERE id IN (
       SELECT delivery.id FROM webhook_delivery delivery JOIN webhook ON webhook.id = webhook_id
       WHERE requested_at < ${nowSql(3)} - $1 * interval '1 ms' AND (state <> 'pending' OR NOT is_active)
       ORDER BY requested_at LIMIT $2 FOR UPDATE OF delivery SKIP LOCKED
     ) RETURNING 1`,
    [keepMs, limit, now ?? null],
  );
  return removed.length;
}
