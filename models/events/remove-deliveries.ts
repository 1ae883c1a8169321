import type { Sequelize, Transaction } from 'sequelize';
import { query } from '../sql/query.ts';

/** Deliveries that one statement removes of a webhook that is deleted. */
const REMOVED_AT_ONCE = 1_000;

/** Removes the deliveries of a webhook, some in each statement, save for those that are being changed. */
export async function removeDeliveries(
  sequelize: Sequelize,
  webhookId: number,
  transaction?: Transaction,
): Promise<void> {
  let removed: { id: number }[];
  let after = 0;
  do {
    removed = await query<{ id: number }>(
      sequelize,
      `DELETE FROM webhook_delivery WHERE id IN (
         SELECT id FROM webhook_delivery WHERE webhook_id = $1 AND id > $2
         ORDER BY id LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED
       ) RETURNING id`,
      [webhookId, after],
      transaction,
    );
    after = Math.max(...removed.map(({ id }) => id));
  } while (removed.length === REMOVED_AT_ONCE);
}
