import type { Logger } from 'pino';
import { removeSeenNotices } from '../../models/events/change-notices.ts';
import { addUpEndedBuilds } from '../../models/builds/ended-builds.ts';
import type { Database } from '../../models/database.ts';
import { removeUnwantedTails } from '../../models/builds/log-tail.ts';
import { giveUpEvents } from '../../models/events/give-up-events.ts';
import { NOTHING_REMOVED, removeOldEvents } from '../../models/events/remove-old-events.ts';
import { readClock } from '../../models/sql/database-time.ts';
import type { EventOwner } from '../../models/sql/event-tables.ts';
import { startPollingLoop } from '../../timing/polling-loop.ts';

const BATCH = 1_000;
/** A restore notes a change of nearly every row, which no single statement could remove in its time. */
const NOTICES_AT_ONCE = 100_000;
const MAX_BATCHES = 100;
const DAY_MS = 86_400_000;

/**
 * Removes now and then, in batches, the idempotency keys that have expired and the notices of changes that everybody
 * has seen; and the ends of logs that nobody looks at any more, and the events of builds and landings that ended long
 * ago. Messages that no queue has taken are given up before that, and logged. Builds that have ended are counted, once
 * each. Every API process may do so: they pass over each other's rows. A step that fails is logged and tried again the
 * next time; the others run all the same.
 *
 * @param options.keepEventsMs how long events stay after the end of their build or landing, by the database's clock; 0:
 * for ever
 * @param options.passEventsMs how often all such builds and landings are looked at again: what was still to be sent may
 * have been sent since
 * @param options.giveUpMessagesMs how long messages are tried after that end, by the database's clock; 0: for ever
 * @param options.noticesAtOnce notices of changes that one statement removes
 * @returns `stop` resolves when the work in hand is done
 */
export function startRowSweep(options: {
  database: Database;
  intervalMs: number;
  keepEventsMs?: number;
  passEventsMs?: number;
  giveUpMessagesMs?: number;
  noticesAtOnce?: number;
  logger: Logger;
}): { stop: () => Promise<void> } {
  const { database, intervalMs, keepEventsMs = 0, giveUpMessagesMs = 0, logger } = options;
  const { passEventsMs = DAY_MS, noticesAtOnce = NOTICES_AT_ONCE } = options;
  const begun = () => ({ upTo: NOTHING_REMOVED, begunMs: performance.now() });
  const passes = { build: begun(), landing: begun() };

  async function removeEvents(owner: EventOwner, signal: AbortSignal): Promise<void> {
    const clock = await readClock(database.sequelize);
    const before = new Date(clock() - keepEventsMs);
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const pass = passes[owner];
      const reached = await removeOldEvents(database.sequelize, owner, before, pass.upTo);
      if (!reached) {
        if (performance.now() - pass.begunMs >= passEventsMs) passes[owner] = begun();
        return;
      }
      pass.upTo = reached;
    }
  }

  async function giveUpMessages(owner: EventOwner, signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const found = await giveUpEvents(database.sequelize, owner, giveUpMessagesMs);
      if (found.length === 0) return;
      for (const { queue, ids, events } of found)
        logger.error(
          { queue, [`${owner}s`]: ids, events, alarm: 'progress_given_up' },
          'no queue has taken these messages; they are given up, and their events are kept',
        );
    }
  }

  async function inBatches(
    size: number,
    remove: (limit: number) => Promise<number>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const removed = await remove(size);
      if (removed < size) return;
    }
  }

  const steps: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    notices: (signal) =>
      inBatches(noticesAtOnce, (limit) => removeSeenNotices(database.sequelize, limit), signal),
    ended_builds: () => addUpEndedBuilds(database.sequelize),
    log_tails: () => removeUnwantedTails(database.sequelize),
    ...(giveUpMessagesMs > 0 && {
      build_messages: (signal) => giveUpMessages('build', signal),
      landing_messages: (signal) => giveUpMessages('landing', signal),
    }),
    ...(keepEventsMs > 0 && {
      build_events: (signal) => removeEvents('build', signal),
      landing_events: (signal) => removeEvents('landing', signal),
    }),
    idempotency_keys: (signal) =>
      inBatches(BATCH, (limit) => database.IdempotencyKey.removeExpired(limit), signal),
  };
  const failed = (step: string) => (error: unknown) =>
    logger.warn({ err: error, step }, 'a step of the sweep of rows failed; will retry');
  const loop = startPollingLoop({
    intervalMs,
    async poll(signal) {
      for (const [step, run] of Object.entries(steps)) {
        if (signal.aborted) return;
        await run(signal).catch(failed(step));
      }
    },
    onError: failed('sweep'),
  });
  return { stop: loop.stop };
}
