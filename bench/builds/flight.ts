import { setTimeout as sleep } from 'node:timers/promises';
import { machineSeries } from '../../main/demo/machine-series.ts';
import { makeSigningKey } from '../../test/support/source-package.ts';
import { withBenchStack } from '../bench-stack.ts';
import { readHistories, type ActivityStep } from '../build-histories.ts';
import { watchMemory } from '../process-memory.ts';
import { atLeast, atMost, type Result } from '../report.ts';
import { spreadOf, type Spread } from '../statistics.ts';
import { storeSource, type StoredSource } from '../stored-source.ts';
import { openBuildRows } from './build-rows.ts';
import {
  bringIntoFlight,
  holdingScript,
  untilEnded,
  type Fleet,
  type Setting,
} from './builds-in-flight.ts';
import type { BuildTally } from './progress-tally.ts';

const MAX_FAILURES = 10;
const MAX_HISTORIES = 2_000;
const MIN_LIMIT_MS = 15 * 60_000;
const LIMIT_PER_BUILD_MS = 1_500;
/** One in so many builds ends while all others stay in flight. */
const COHORT_SHARE = 20;
const MIN_STEADY_MS = 10_000;
const NEEDED_BYTES = 8 * 2 ** 30;
const BYTES_PER_BUILD = 512 * 2 ** 10;
const UPSTREAM_BYTES = 4_096;
const MIBIBYTE = 2 ** 20;
const MAX_WORKER_MIB = 1_024;

type Options = {
  builds: number;
  /** Longest wait between two looks; the first takes a fifth of it. */
  pollMaxMs: number;
  signal: AbortSignal;
  say: (line: string) => void;
};

/**
 * Brings builds into flight until all are at once, watches the watching, lets some of them end while the others stay,
 * and then all others at once.
 */
export async function measureFlight(options: Options): Promise<Result> {
  const { builds, pollMaxMs, signal, say } = options;
  const pollInitialMs = Math.max(1_000, Math.round(pollMaxMs / 5));
  const key = await makeSigningKey('Airline Bench <bench@airline.example>');
  const stackOptions = {
    script: holdingScript([]),
    environment: {
      AIRLINE_POLL_INITIAL_MS: String(pollInitialMs),
      AIRLINE_POLL_MAX_MS: String(pollMaxMs),
      // Launchpad's own defaults, not those of the embedded stack.
      AIRLINE_PROGRESS_INTERVAL_MS: '300000',
      AIRLINE_STAND_IN_BUILDERS: String(builds),
      AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: String(Math.round(pollInitialMs / 4)),
    },
    neededBytes: NEEDED_BYTES + builds * BYTES_PER_BUILD,
    signal,
  };
  try {
    return await withBenchStack(stackOptions, async (bench) => {
      const { distribution, series } = await machineSeries();
      const sources: StoredSource[] = [];
      for (let number = 1; number <= sourceCount(builds); number++) {
        signal.throwIfAborted();
        const source = { name: `airline-scale-${number}`, upstreamBytes: UPSTREAM_BYTES };
        sources.push(await storeSource(bench, { ...source, series, key }));
      }
      say(`${sources.length} source packages made, signed and stored`);
      const rows = await openBuildRows(bench.stack.addresses.databaseUrl);
      const limitMs = MIN_LIMIT_MS + builds * LIMIT_PER_BUILD_MS;
      const setting = { bench, rows, sources, distribution, series, limitMs, signal };
      try {
        return flightResult(options, pollInitialMs, await measureFleet(setting, options));
      } finally {
        await rows.close();
      }
    });
  } finally {
    await key.remove();
  }
}

async function measureFleet(setting: Setting, { builds, pollMaxMs, signal, say }: Options) {
  const { bench, sources } = setting;
  const workerMemory = watchMemory(bench.pidOf('worker'));
  const startedAtMs = Date.now();
  const fleet = await bringIntoFlight(setting, builds);
  try {
    const rampMs = Date.now() - startedAtMs;
    say(`all in flight after ${seconds(rampMs)} s`);

    // The waits of the last ones must have grown to their longest.
    await sleep(pollMaxMs, undefined, { signal });
    const steadyFromMs = Date.now();
    await sleep(Math.max(pollMaxMs, MIN_STEADY_MS), undefined, { signal });
    const steadyToMs = Date.now();

    const released = sources.slice(0, Math.ceil(sources.length / COHORT_SHARE));
    const cohort = fleet.builds.filter(({ source }) => released.includes(source));
    bench.play(holdingScript(released));
    await untilEnded(setting, fleet, cohort.length);
    say(`${cohort.length} builds have ended while the others stay`);

    const releasedAtMs = Date.now();
    bench.play(holdingScript('all'));
    await untilEnded(setting, fleet, builds);
    const drainMs = Date.now() - releasedAtMs;
    say(`all ended ${seconds(drainMs)} s after their release`);

    const workerPeakBytes = workerMemory().peakBytes;
    const faults = faultsOf(builds, [...fleet.tally.builds.values()], {
      completed: await setting.rows.count(fleet.queue, 'completed'),
      messages: await setting.rows.messages(fleet.queue),
    });
    const others = fleet.builds.filter((build) => !cohort.includes(build));
    const { temporalAddress } = bench.stack.addresses;
    const ofCohort = (await readHistories(temporalAddress, cohort)).map(pollsOf);
    const sample = evenSample(others, MAX_HISTORIES);
    const ofOthers = (await readHistories(temporalAddress, sample)).map(pollsOf);
    const steadyPolls = ofOthers
      .flatMap(({ looks }) => looks)
      .filter(({ completedAtMs }) => completedAtMs >= steadyFromMs && completedAtMs < steadyToMs);
    const latencyMs = ({ build, looks }: (typeof ofOthers)[number]) =>
      (fleet.tally.builds.get(build.id)?.receivedAtMs ?? Number.NaN) -
      (looks.at(-1)?.dueAtMs ?? Number.NaN);
    return {
      rampMs,
      drainMs,
      workerPeakBytes,
      looksPerSecond:
        (steadyPolls.length * builds) / sample.length / seconds(steadyToMs - steadyFromMs),
      // How much later than planned looks came, from the end of their timer to the answer, while all were in flight.
      lateness: spreadOf(steadyPolls.map(({ dueAtMs, completedAtMs }) => completedAtMs - dueAtMs)),
      // From the due look that saw the end of a build to its final message at the consumer.
      latencies: {
        cohort: spreadOf(ofCohort.map(latencyMs)),
        drain: spreadOf(ofOthers.map(latencyMs)),
      },
      faults,
      failures: fleet.tally.failures().slice(0, MAX_FAILURES),
    };
  } finally {
    await fleet.tally.stop();
  }
}

function pollsOf({ build, steps }: { build: Fleet['builds'][number]; steps: ActivityStep[] }) {
  return { build, looks: steps.filter(({ name }) => name === 'watchBuilds') };
}

/**
 * Counts of what must not be: a build that has not completed, and a message lost, doubled or out of order.
 *
 * @param builds how many were requested
 * @param rows completed builds and recorded messages, as the database has them
 */
export function faultsOf(
  builds: number,
  tallies: readonly BuildTally[],
  rows: { completed: number; messages: number },
): Record<string, number> {
  const completed = tallies.filter(({ finals, failure }) => finals > 0 && !failure).length;
  const received = tallies.reduce((sum, { messages }) => sum + messages, 0);
  return {
    'builds that have not completed': builds - Math.min(completed, rows.completed),
    'builds without exactly one final message':
      builds - tallies.filter(({ finals }) => finals === 1).length,
    'builds with a gap or a change of order': tallies.filter((one) => one.isOutOfOrder).length,
    'messages lost': rows.messages - received,
  };
}

/** What was measured, for people. */
function flightResult(
  options: Options,
  pollInitialMs: number,
  measured: Awaited<ReturnType<typeof measureFleet>>,
): Result {
  const { builds, pollMaxMs } = options;
  const { faults, failures, latencies } = measured;
  const isSound = Object.values(faults).every((count) => count === 0);
  const spread = (what: string, { count, p50Ms, p99Ms, maxMs }: Spread) => ({
    '': what,
    count,
    'p50, s': seconds(p50Ms),
    'p99, s': seconds(p99Ms),
    'most, s': seconds(maxMs),
  });
  return {
    title: 'Thousands of builds in flight',
    notes: [
      `${builds} builds at once with one worker and one API, each an upload of its own. A few signed sources go into many PPAs, which hold them in "Currently building" until they are released. The PPA is polled after ${seconds(pollInitialMs)} s first, and every ${seconds(pollMaxMs)} s at last (AIRLINE_POLL_INITIAL_MS, AIRLINE_POLL_MAX_MS). One build in ${COHORT_SHARE} ends while all others stay in flight, then all others at once.`,
      `Failures: ${failures.join('; ') || 'none'}.`,
    ],
    goals: [
      atMost('peak memory of the worker, MiB', measured.workerPeakBytes / MIBIBYTE, MAX_WORKER_MIB),
      atLeast('builds with all their messages, in order', isSound ? builds : 0, builds),
    ],
    tables: [
      [
        { what: 'until all were in flight, s', measured: seconds(measured.rampMs) },
        {
          what: 'from the release of the rest to the last final message, s',
          measured: seconds(measured.drainMs),
        },
        { what: 'looks a second that are due', measured: builds / seconds(pollMaxMs) },
        { what: 'looks a second that came', measured: measured.looksPerSecond },
        ...Object.entries(faults).map(([what, count]) => ({ what, measured: count })),
      ],
      [
        spread('a poll was answered after it was due', measured.lateness),
        spread('end of a build to its final message, others in flight', latencies.cohort),
        spread('the same, all at once', latencies.drain),
      ],
    ],
  };
}

/** As many sources as PPAs: with few PPAs the publisher of the stand-in has less to do than Airline. */
export function sourceCount(builds: number): number {
  return Math.ceil(Math.sqrt(builds));
}

/** At most so many of a list, from all parts of it. */
export function evenSample<Item>(items: readonly Item[], max: number): Item[] {
  const step = Math.max(1, items.length / max);
  return Array.from(
    { length: Math.min(max, items.length) },
    (_, at) => items[Math.floor(at * step)] as Item,
  );
}

function seconds(ms: number): number {
  return ms / 1_000;
}
