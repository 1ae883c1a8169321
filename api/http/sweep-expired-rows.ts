import type { Logger } from 'pino';
import { removeSeenNotices } from '../../models/change-notices.ts';
import { addUpEndedBuilds } from '../../models/ended-builds.ts';
import type { Database } from '../../models/database.ts';
import { removeUnwantedTails } from '../../models/log-tail.ts';
import { NOTHING_REMOVED, removeOldEvents } from '../../models/remove-old-events.ts';
import type { EventOwner } from '../../models/sql/event-tables.ts';
import { startPollingLoop } from '../../timing/polling-loop.ts';

const BATCH = 1_000;
const MAX_BATCHES = 100;

/**
 * Removes expired idempotency keys now and then, in batches, the notices of changes that everybody has seen, the ends
 * of logs that nobody looks at any more, and the events of builds and landings that ended long ago. Every API process
 * may do so: they pass over each other's rows.
 *
 * @param options.keepEventsMs how long events stay after the end of their build or landing; 0: for ever
 * @returns `stop` resolves when the work in hand is done
 */
export function startRowSweep(options: {
  database: Database;
  intervalMs: number;
  keepEventsMs?: number;
  logger: Logger;
  now?: () => Date;
}): { stop: () => Promise<void> } {
  const { database, intervalMs, keepEventsMs = 0, logger, now = () => new Date() } = options;
  const removedUpTo = { build: NOTHING_REMOVED, landing: NOTHING_REMOVED };

  async function removeEvents(owner: EventOwner, signal: AbortSignal): Promise<void> {
    const before = new Date(now().getTime() - keepEventsMs);
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const reached = await removeOldEvents(database.sequelize, owner, before, removedUpTo[owner]);
      if (!reached) return;
      removedUpTo[owner] = reached;
    }
  }

  const loop = startPollingLoop({
    intervalMs,
    async poll(signal) {
      await removeSeenNotices(database.sequelize, now());
      await addUpEndedBuilds(database.sequelize);
      await removeUnwantedTails(database.sequelize);
      if (keepEventsMs > 0)
        for (const owner of ['build', 'landing'] as const) await removeEvents(owner, signal);
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
        const removed = await database.IdempotencyKey.removeExpired(BATCH, now());
        if (removed < BATCH) return;
      }
    },
    onError: (error) => logger.warn({ err: error }, 'could not remove expired rows; will retry'),
  });
  return { stop: loop.stop };
}
