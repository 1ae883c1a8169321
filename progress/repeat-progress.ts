import type { Logger } from 'pino';
import type { Database } from '../models/database.ts';
import { repeatEvents } from '../models/events/repeat-events.ts';
import { startPollingLoop, type PollingLoop } from '../timing/polling-loop.ts';

/** Builds whose rows are locked at once. */
const BATCH_SIZE = 50;
const MAX_TICK_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/**
 * Tells callers at the regular interval where their builds stand, in every phase: also while a build waits in the
 * queue, and while a worker, Temporal or the PPA is away. An event of the build itself begins the interval anew.
 *
 * @param intervalMs longest time between two events of a build that has not ended
 * @param startMs longest time for one try to start a build's workflow, which nobody can tell of meanwhile
 * @param onRepeated is called when there are events to publish
 */
export function startProgressRepeater({
  database,
  intervalMs,
  startMs,
  onRepeated,
  logger,
}: {
  database: Pick<Database, 'sequelize' | 'Build'>;
  intervalMs: number;
  startMs: number;
  onRepeated: () => void;
  logger: Logger;
}): Pick<PollingLoop, 'stop'> {
  const tickMs = Math.max(1, Math.min(MAX_TICK_MS, Math.floor(intervalMs / 5)));
  return startPollingLoop({
    intervalMs: tickMs,
    maxBackoffMs: MAX_BACKOFF_MS,
    async poll(signal) {
      // What would be late at the next tick is told of now.
      const dueMs = Date.now() - intervalMs + tickMs;
      const due = {
        heardBefore: new Date(dueMs),
        startingHeardBefore: new Date(dueMs + Math.min(startMs, intervalMs / 2)),
        limit: BATCH_SIZE,
      };
      for (let repeated = BATCH_SIZE; repeated === BATCH_SIZE && !signal.aborted;) {
        repeated = await repeatEvents(database, due);
        if (repeated > 0) onRepeated();
      }
    },
    onError: (error, { waitMs }) =>
      logger.warn({ err: error, waitMs }, 'callers could not be told where their builds stand'),
  });
}
