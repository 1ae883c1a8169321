import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../models/database.ts';
import { countUnpublished } from '../../models/publish-events.ts';

/**
 * Gauges of what the rows say.
 *
 * @returns `read` sets them all; `forget` empties them where the rows could not be read
 */
export function createRowGauges(registry: Registry, database: Database) {
  const { Build } = database;
  const registers = [registry];
  const read = new Gauge({
    name: 'airline_database_read',
    help: '1 where the counts from the database are there, 0 where it did not answer in time.',
    registers,
  });
  const builds = new Gauge({
    name: 'airline_builds',
    help: 'Builds by state.',
    labelNames: ['state'],
    registers,
  });
  const backlog = new Gauge({
    name: 'airline_build_dispatch_backlog',
    help: 'Builds that wait for their workflow.',
    registers,
  });
  const backlogAge = new Gauge({
    name: 'airline_build_dispatch_oldest_age_seconds',
    help: 'Age of the oldest build that waits for its workflow; 0 where none does.',
    registers,
  });
  const stuck = new Gauge({
    name: 'airline_builds_stuck',
    help: 'Builds whose workflow fails again and again, so that only an operator can help.',
    registers,
  });
  const unpublished = new Gauge({
    name: 'airline_progress_events_unpublished',
    help: 'Events of builds and landings that wait for the broker.',
    registers,
  });

  return {
    async read(): Promise<void> {
      const [states, waiting, stuckBuilds, events] = await Promise.all([
        Build.countByState(),
        Build.backlog(),
        Build.countStuck(),
        countUnpublished(database),
      ]);
      builds.reset();
      for (const [state, count] of Object.entries(states)) builds.set({ state }, count);
      backlog.set(waiting.count);
      const ageMs = waiting.oldestAt ? Date.now() - waiting.oldestAt.getTime() : 0;
      backlogAge.set(Math.max(0, ageMs) / 1_000);
      stuck.set(stuckBuilds);
      unpublished.set(events);
      read.set(1);
    },
    /** An old number would look like a new one. */
    forget(): void {
      builds.reset();
      for (const gauge of [backlog, backlogAge, stuck, unpublished]) gauge.remove();
      read.set(0);
    },
  };
}
