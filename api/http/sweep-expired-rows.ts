import type { Logger } from 'pino';
import { removeSeenNotices } from '../../models/change-notices.ts';
import type { Database } from '../../models/database.ts';
import { startPollingLoop } from '../../timing/polling-loop.ts';

const BATCH = 1_000;
const MAX_BATCHES = 100;

/**
 * Removes expired idempotency keys now and then, in batches, and the notices of changes that everybody has seen. Every
 * API process may do so: they pass over each other's rows.
 *
 * @returns `stop` resolves when the work in hand is done
 */
export function startRowSweep(options: {
  database: Database;
  intervalMs: number;
  logger: Logger;
  now?: () => Date;
}): { stop: () => Promise<void> } {
  const { database, intervalMs, logger, now = () => new Date() } = options;
  const loop = startPollingLoop({
    intervalMs,
    async poll(signal) {
      await removeSeenNotices(database.sequelize, now());
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
        const removed = await database.IdempotencyKey.removeExpired(BATCH, now());
        if (removed < BATCH) return;
      }
    },
    onError: (error) => logger.warn({ err: error }, 'could not remove expired rows; will retry'),
  });
  return { stop: loop.stop };
}
