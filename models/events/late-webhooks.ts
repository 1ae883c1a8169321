import type { Sequelize } from 'sequelize';
import { query } from '../sql/query.ts';

/**
 * Since when the active webhook is behind that has been behind longest, null where nothing waits for any; and when that
 * was read by the database's clock. One is behind since it has failed, or since the delivery was due that waits
 * longest: what fails is due later each time. What waited for a webhook that begins anew counts as asked for then, and
 * as due no earlier: its time in the past only keeps the order (`tryDeliveriesAnew`).
 */
export async function webhookBehindSince(
  sequelize: Sequelize,
): Promise<{ since: Date | null; at: Date }> {
  const [row] = await query<{ since: Date | null; at: Date }>(
    sequelize,
    `SELECT min(least(failing_since, due_at)) AS since, clock_timestamp() AS at
     FROM webhook CROSS JOIN LATERAL (
       SELECT greatest(next_try_at, requested_at) AS due_at FROM webhook_delivery
       WHERE webhook_id = webhook.id AND state = 'pending' ORDER BY next_try_at LIMIT 1
     ) first_due
     WHERE is_active`,
  );
  return { since: row?.since ?? null, at: row?.at ?? new Date() };
}
