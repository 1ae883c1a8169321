import type { Sequelize, Transaction } from 'sequelize';
import { query } from '../sql/query.ts';

/** Deliveries that one statement changes: millions at once take longer than a statement may. */
const CHANGED_AT_ONCE = 1_000;

// A cursor, because no index has what waits in an order that stays while it is changed.
const WAITING = `DECLARE waiting NO SCROLL CURSOR FOR
  SELECT id FROM webhook_delivery WHERE webhook_id = $1 AND state = 'pending'`;
// Also what was never tried: it may be older than a delivery that fails may get. What was due first stays the first.
const TRY_ANEW = `UPDATE webhook_delivery
  SET tries = 0, next_try_at = requested_at,
    requested_at = CASE WHEN $2 THEN clock_timestamp() ELSE requested_at END
  WHERE id = ANY($1::bigint[]) AND state = 'pending'`;

/**
 * Makes all that waits for a webhook due at once, with all its tries, some of it in each statement. What comes
 * meanwhile need not be among it.
 *
 * @param options.beginsAnew whether it also has all its time again, as if it had only just been asked for
 */
export async function tryDeliveriesAnew(
  sequelize: Sequelize,
  webhookId: number,
  { beginsAnew }: { readonly beginsAnew: boolean },
  transaction: Transaction,
): Promise<void> {
  await query(sequelize, WAITING, [webhookId], transaction);
  for (;;) {
    const part = await query<{ id: number }>(
      sequelize,
      `FETCH ${CHANGED_AT_ONCE} FROM waiting`,
      [],
      transaction,
    );
    if (part.length === 0) break;
    const ids = part.map(({ id }) => id);
    await query(sequelize, TRY_ANEW, [ids, beginsAnew], transaction);
  }
  await query(sequelize, 'CLOSE waiting', [], transaction);
}
