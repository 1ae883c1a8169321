import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { machineSeries } from '../../main/demo/machine-series.ts';
import { makeSigningKey } from '../../test/support/signing-key.ts';
import { withBenchStack } from '../bench-stack.ts';
import { memoryBytes, watchMemory } from '../process-memory.ts';
import { atLeast, atMost, type Result } from '../report.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import { spreadOf, type Spread } from '../statistics.ts';
import { storeSource, type StoredSource } from '../stored-source.ts';
import { openBuildRows } from './build-rows.ts';
import {
  bringIntoFlight,
  holdingScript,
  initialPollMs,
  untilEnded,
  type Fleet,
  type Setting,
} from './builds-in-flight.ts';
import type { BuildTally } from './progress-tally.ts';
import { measureSteadyCost } from './steady-cost.ts';

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
/** Of builds that are watched, where nothing is measured beside them. */
const MAX_WORKER_MIB = 1_024;
/** What the worker may take for builds that are watched, as a share of what it takes for those that poll alone. */
const MAX_MEMORY_SHARE = 0.5;
const MAX_CORES_SHARE = 0.1;
const LANES = 8;
/** Beside one wait between two polls. */
const MAX_LATE_S = 5;
const MEASURED_PARTS = ['worker', 'temporal', 'stand-in'] as const;

type Options = {
  builds: number;
  /** Longest wait between two polls; the first takes a fifth of it. */
  pollMaxMs: number;
  /** Leaves out the builds that poll by themselves: of many, these take hours. */
  watchedOnly: boolean;
  signal: AbortSignal;
  say: (line: string) => void;
};

/** Who polls: each build by itself, or one watch for each PPA. */
type Mode = 'alone' | 'watched';
type Measured = Awaited<ReturnType<typeof measureFleet>>;

/**
 * Brings builds into flight until all are at once, watches the watching, lets some of them end while the others stay,
 * and then all others at once: first with builds that poll by themselves, then with builds that are watched.
 */
export async function measureFlight(options: Options): Promise<Result> {
  const alone = options.watchedOnly ? undefined : await measureMode(options, 'alone');
  const watched = await measureMode(options, 'watched');
  return flightResult(options, { ...(alone ? { alone } : {}), watched });
}

async function measureMode(options: Options, mode: Mode) {
  const { builds, pollMaxMs, signal, say } = options;
  const pollInitialMs = initialPollMs(pollMaxMs);
  const key = await makeSigningKey('Airline Bench', 'bench@airline.example');
  const stackOptions = {
    script: holdingScript([]),
    environment: {
      AIRLINE_PPA_WATCH: mode === 'watched' ? 'on' : 'off',
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
  return withBenchStack(stackOptions, async (bench) => {
    const { distribution, series } = await machineSeries();
    const sources: StoredSource[] = [];
    for (let number = 1; number <= sourceCount(builds); number++) {
      signal.throwIfAborted();
      const source = { name: `airline-scale-${number}`, upstreamBytes: UPSTREAM_BYTES };
      sources.push(await storeSource(bench, { ...source, series, key }));
    }
    say(`${mode}: ${sources.length} source packages made, signed and stored`);
    const rows = await openBuildRows(bench.stack.addresses.databaseUrl);
    const limitMs = MIN_LIMIT_MS + builds * LIMIT_PER_BUILD_MS;
    const setting = { bench, rows, sources, distribution, series, limitMs, signal };
    try {
      return await measureFleet(setting, options);
    } finally {
      await rows.close();
    }
  });
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
    const steadyMs = Math.max(pollMaxMs, MIN_STEADY_MS);
    const cost = await measureSteadyCost(setting, MEASURED_PARTS, steadyMs);
    const workerBytes = memoryBytes(bench.pidOf('worker'));

    const released = sources.slice(0, Math.ceil(sources.length / COHORT_SHARE));
    const cohort = fleet.builds.filter(({ source }) => released.includes(source));
    const cohortReleasedAtMs = Date.now();
    bench.play(holdingScript(released.map(({ upload }) => upload.source)));
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
    const sample = evenSample(others, MAX_HISTORIES);
    const latenciesMs = (all: Fleet['builds'], releasedMs: number) =>
      spreadOf(
        all.map(({ id }) => (fleet.tally.builds.get(id)?.receivedAtMs ?? Number.NaN) - releasedMs),
      );
    return {
      rampMs,
      drainMs,
      workerBytes,
      workerPeakBytes,
      ...cost,
      events: await historyEvents(bench.stack.addresses.temporalAddress, sample),
      latencies: {
        cohort: latenciesMs(cohort, cohortReleasedAtMs),
        drain: latenciesMs(others, releasedAtMs),
      },
      faults,
      failures: fleet.tally.failures().slice(0, MAX_FAILURES),
    };
  } finally {
    await fleet.tally.stop();
  }
}

/** Median of the history events of some builds. */
async function historyEvents(temporalAddress: string, builds: Fleet['builds']): Promise<number> {
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection });
  try {
    const lengths = await sideBySide(builds, LANES, async ({ workflowId }) => {
      const { historyLength } = await client.workflow.getHandle(workflowId).describe();
      return historyLength;
    });
    return spreadOf(lengths).p50Ms;
  } finally {
    await connection.close();
  }
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

/**
 * What was measured, for people.
 *
 * @param modes the way that is measured, and the other one if it was measured beside it
 */
export function flightResult(
  { builds, pollMaxMs }: Pick<Options, 'builds' | 'pollMaxMs'>,
  modes: { alone?: Measured; watched: Measured },
): Result {
  const { alone, watched } = modes;
  const all = Object.entries(modes);
  const failures = all.flatMap(([, measured]) => measured.failures);
  const isSound = all.every(([, { faults }]) =>
    Object.values(faults).every((count) => count === 0),
  );
  const row = (what: string, of: (measured: Measured) => number) => ({
    what,
    ...(alone ? { 'each polls alone': of(alone) } : {}),
    watched: of(watched),
  });
  const spread = (what: string, { count, p50Ms, p99Ms, maxMs }: Spread) => ({
    '': what,
    count,
    'p50, s': seconds(p50Ms),
    'p99, s': seconds(p99Ms),
    'max, s': seconds(maxMs),
  });
  return {
    title: 'Thousands of builds in flight',
    notes: [
      `${builds} builds at once with one worker and one API, each an upload of its own: ${alone ? 'first builds that poll by themselves (AIRLINE_PPA_WATCH=off), then builds that are watched' : 'builds that are watched'}. A few signed sources go into ${Math.ceil(builds / sourceCount(builds))} PPAs, which hold them in "Currently building" until they are released. The PPA is polled after ${seconds(initialPollMs(pollMaxMs))} s first, and every ${seconds(pollMaxMs)} s at last (AIRLINE_POLL_INITIAL_MS, AIRLINE_POLL_MAX_MS). One build in ${COHORT_SHARE} ends while all others stay in flight, then all others at once.`,
      `Failures: ${failures.join('; ') || 'none'}.`,
    ],
    goals: [
      alone
        ? atMost(
            'share of the peak memory of the worker of builds that poll alone',
            watched.workerPeakBytes / alone.workerPeakBytes,
            MAX_MEMORY_SHARE,
          )
        : atMost(
            'peak memory of the worker, MiB',
            watched.workerPeakBytes / MIBIBYTE,
            MAX_WORKER_MIB,
          ),
      atLeast('builds with all their messages, in order', isSound ? builds : 0, builds),
      ...(alone
        ? [
            atMost(
              'share of the worker cores of builds that poll alone',
              watched.cores.worker / alone.cores.worker,
              MAX_CORES_SHARE,
            ),
          ]
        : []),
      atMost(
        'release to final message (p99), others in flight, s',
        seconds(watched.latencies.cohort.p99Ms),
        seconds(pollMaxMs) + MAX_LATE_S,
      ),
    ],
    tables: [
      [
        row('calls of the PPA a second, all in flight', ({ callsPerSecond }) => callsPerSecond),
        ...MEASURED_PARTS.map((part) =>
          row(`cores of ${part}, all in flight`, ({ cores }) => cores[part]),
        ),
        row('memory of the worker, all in flight, MiB', (one) => one.workerBytes / MIBIBYTE),
        row('history events of a build (median)', ({ events }) => events),
        row('peak memory of the worker, MiB', ({ workerPeakBytes }) => workerPeakBytes / MIBIBYTE),
        row('until all were in flight, s', ({ rampMs }) => seconds(rampMs)),
        row('from the release of the rest to the last final message, s', ({ drainMs }) =>
          seconds(drainMs),
        ),
        ...Object.keys(watched.faults).map((what) => row(what, ({ faults }) => faults[what] ?? 0)),
      ],
      all.flatMap(([mode, { latencies }]) => [
        spread(`${mode}: release to final message, others in flight`, latencies.cohort),
        spread(`${mode}: the same, all at once`, latencies.drain),
      ]),
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
