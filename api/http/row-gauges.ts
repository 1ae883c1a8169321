import { Gauge, type Registry } from 'prom-client';
import { MAX_COUNTED_EVENTS } from '../../domain/service/counted-events.ts';
import type { Database } from '../../models/database.ts';
import { countCalls } from '../../models/builds/call-budget.ts';
import { countUnpublished } from '../../models/events/publish-events.ts';
import { countPendingDeliveries } from '../../models/events/webhook-outbox.ts';

/**
 * Gauges of what the rows say.
 *
 * @returns `read` sets them all; `forget` empties them where the rows could not be read
 */
export function createRowGauges(registry: Registry, database: Database) {
  const { Build, Landing, PoolPpa } = database;
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
  const ended = new Gauge({
    name: 'airline_builds_ended',
    help: 'Builds that have ended, by phase: completed, failed or cancelled.',
    labelNames: ['phase'],
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
  const untakenAge = new Gauge({
    name: 'airline_build_untaken_oldest_age_seconds',
    help: 'How long Temporal has had the oldest build that no worker has taken; 0 where there is none.',
    registers,
  });
  const buildsStuck = new Gauge({
    name: 'airline_builds_stuck',
    help: 'Builds whose workflow fails again and again or no worker takes, so that only an operator can help.',
    registers,
  });
  const lastErrorAge = new Gauge({
    name: 'airline_build_trouble_oldest_age_seconds',
    help: 'How long the step of a build has failed that has failed longest; 0 where none fails.',
    registers,
  });
  const landingsStuck = new Gauge({
    name: 'airline_landings_stuck',
    help: 'Landings whose workflow fails again and again or no worker takes, so that only an operator can help.',
    registers,
  });
  const testerAge = new Gauge({
    name: 'airline_landing_untaken_oldest_age_seconds',
    help: 'How long the landing has waited that has waited longest for a tester of its images or tests; 0 where none does.',
    registers,
  });
  const cleaningsStuck = new Gauge({
    name: 'airline_cleanings_stuck',
    help: 'Cleanings of PPAs of the pool whose workflow fails again and again or no worker takes, so that only an operator can help.',
    registers,
  });
  const watched = new Gauge({
    name: 'airline_builds_watched',
    help: 'Builds that wait for what their PPA does.',
    registers,
  });
  const watchAge = new Gauge({
    name: 'airline_ppa_watch_oldest_round_age_seconds',
    help: 'Age of the last poll of the PPA that was polled longest ago, among those in which builds wait; 0 where none do.',
    registers,
  });
  const calls = new Gauge({
    name: 'airline_launchpad_calls',
    help: 'Calls of the Launchpad web service that all workers have made, and those of them that have failed; both only grow.',
    labelNames: ['result'],
    registers,
  });
  const isLeftAlone = new Gauge({
    name: 'airline_launchpad_left_alone',
    help: '1 while no worker calls the Launchpad web service, because it did not answer or has asked for a pause.',
    registers,
  });
  const unpublished = new Gauge({
    name: 'airline_progress_events_unpublished',
    help: `Events of builds and landings that wait for the broker, counted up to ${MAX_COUNTED_EVENTS}.`,
    registers,
  });
  const undelivered = new Gauge({
    name: 'airline_webhook_deliveries_pending',
    help: `Events of builds and landings that wait for webhooks that are active, counted up to ${MAX_COUNTED_EVENTS}.`,
    registers,
  });

  return {
    async read(): Promise<void> {
      const [
        states,
        ends,
        waiting,
        untaken,
        stuckBuilds,
        failing,
        stuckLandings,
        untested,
        stuckCleanings,
        events,
        deliveries,
        watches,
        called,
      ] = await Promise.all([
        Build.countByState(),
        Build.countEnded(),
        Build.backlog(),
        Build.oldestUntaken(),
        Build.countStuck(),
        Build.oldestLastError(),
        Landing.countStuck(),
        Landing.oldestWithoutTester(),
        PoolPpa.countStuck(),
        countUnpublished(database),
        countPendingDeliveries(database),
        database.PpaWatch.countWatched(),
        countCalls(database.sequelize),
      ]);
      builds.reset();
      for (const [state, count] of Object.entries(states)) builds.set({ state }, count);
      for (const [phase, count] of Object.entries(ends)) ended.set({ phase }, count);
      backlog.set(waiting.count);
      backlogAge.set(secondsSince(waiting.oldestAt, waiting.at));
      untakenAge.set(secondsSince(untaken.startedAt, untaken.at));
      buildsStuck.set(stuckBuilds);
      lastErrorAge.set(secondsSince(failing.since, failing.at));
      landingsStuck.set(stuckLandings);
      testerAge.set(secondsSince(untested.since, untested.at));
      cleaningsStuck.set(stuckCleanings);
      unpublished.set(events);
      undelivered.set(deliveries);
      watched.set(watches.builds);
      watchAge.set(secondsSince(watches.oldestRoundAt, watches.at));
      calls.set({ result: 'made' }, called.calls);
      calls.set({ result: 'failed' }, called.failedCalls);
      isLeftAlone.set(called.closedUntil ? 1 : 0);
      read.set(1);
    },
    /** An old number would look like a new one. */
    forget(): void {
      builds.reset();
      ended.reset();
      calls.reset();
      for (const gauge of [
        backlog,
        backlogAge,
        untakenAge,
        buildsStuck,
        lastErrorAge,
        landingsStuck,
        testerAge,
        cleaningsStuck,
        unpublished,
        undelivered,
        watched,
        watchAge,
        isLeftAlone,
      ])
        gauge.remove();
      read.set(0);
    },
  };
}

/** How old something is at a time of the same clock; 0 where there is nothing. */
function secondsSince(since: Date | null, at: Date): number {
  return since ? Math.max(0, at.getTime() - since.getTime()) / 1_000 : 0;
}
