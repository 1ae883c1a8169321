import { setTimeout as sleep } from 'node:timers/promises';
import { buildWorkflowId } from '../../domain/build-workflow.ts';
import { machineSeries } from '../../main/demo/machine-series.ts';
import { makeSigningKey } from '../../test/support/source-package.ts';
import { withBenchStack, type BenchStack } from '../bench-stack.ts';
import { watchMemory } from '../process-memory.ts';
import { atLeast, atMost, type Result } from '../report.ts';
import { median } from '../statistics.ts';
import { buildLooks, type BuildLooks, type Look } from './build-looks.ts';
import { openBuildRows } from './build-rows.ts';
import {
  bringIntoFlight,
  holdingScript,
  untilEnded,
  type Fleet,
  type Setting,
} from './builds-in-flight.ts';
import { spreadOf, type Spread } from './latency.ts';
import { watchCpu, type CoresUsed } from './process-load.ts';
import { evenSample, readHistories } from './read-histories.ts';
import { makeSources, sourceCount } from './scale-sources.ts';

const MAX_REASONS = 10;
const MAX_HISTORIES = 2_000;
const MIN_LIMIT_MS = 15 * 60_000;
const LIMIT_PER_BUILD_MS = 1_500;
/** One in so many builds ends while all others stay in flight. */
const COHORT_SHARE = 20;
const MIN_STEADY_MS = 10_000;
const NEEDED_BYTES = 8 * 2 ** 30;
const BYTES_PER_BUILD = 512 * 2 ** 10;
const MIBIBYTE = 2 ** 20;
const MAX_WORKER_MIB = 1_024;
const MEMORY_PARTS = ['worker', 'api', 'temporal', 'stand-in'] as const;

/** A part of the run, and the cores that each process kept busy in it. */
type Phase = { tookMs: number; cores: CoresUsed };

/** What came of all builds. Each count but the first two is of what must not be. */
export type Outcome = {
  builds: number;
  completed: number;
  failures: string[];
  withoutOneFinal: number;
  outOfOrder: number;
  /** Messages recorded less messages that came. */
  lostMessages: number;
  unpublished: number;
};

type FlightMeasurement = {
  builds: number;
  pollInitialMs: number;
  pollMaxMs: number;
  requestedMs: number;
  phases: Record<'ramp' | 'steady' | 'drain', Phase>;
  /** Most that the resident set of a process had, from the first request to the last final message. */
  peakBytes: Record<(typeof MEMORY_PARTS)[number], number>;
  looksPerSecond: number;
  /** How much later than planned looks came, from the end of their timer to the answer, in the steady phase. */
  lateness: Spread;
  maxAttempts: number;
  /** Some of the reasons for which activities were tried again. */
  retryReasons: string[];
  outcome: Outcome;
  /** Medians of the histories that were read. */
  looksOfABuild: number;
  eventsOfABuild: number;
  /** From the due look that saw the end of a build to its final message at the consumer. */
  latencies: { cohort: Spread; drain: Spread };
};

/**
 * Brings builds into flight until all are at once, watches the watching, lets some of them end while the others stay,
 * and then all others at once.
 *
 * @param options.pollMaxMs longest wait between two looks; the first takes a fifth of it
 */
export async function measureFlight(options: {
  builds: number;
  pollMaxMs: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
  const { builds, pollMaxMs, signal, say } = options;
  const pollInitialMs = Math.max(1_000, Math.round(pollMaxMs / 5));
  const key = await makeSigningKey('Airline Bench <bench@airline.example>');
  try {
    return await withBenchStack(
      {
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
      },
      async (bench) => {
        const { distribution, series } = await machineSeries();
        const { addresses } = bench.stack;
        const count = sourceCount(builds);
        const sources = await makeSources(bench, { count, series, key, signal });
        say(`${count} source packages made, signed and stored`);
        const rows = await openBuildRows(addresses.databaseUrl, (row) =>
          buildWorkflowId({ ...row, buildId: row.id, attempt: 1 }),
        );
        const setting = { bench, rows, sources, distribution, series, signal, say };
        try {
          const measured = await measureMany(setting, builds, pollMaxMs);
          return flightResult({ builds, pollInitialMs, pollMaxMs, ...measured });
        } finally {
          await rows.close();
        }
      },
    );
  } finally {
    await key.remove();
  }
}

async function measureMany(setting: Setting, builds: number, pollMaxMs: number) {
  const { bench, sources, signal, say } = setting;
  const limitMs = limitOf(builds);
  const memory = MEMORY_PARTS.map((part) => [part, watchMemory(bench.pidOf(part))] as const);

  const rampCores = watchCpu(roots(bench));
  const fleet = await bringIntoFlight(setting, builds, 'many', limitMs);
  try {
    const ramp = { tookMs: fleet.inFlightMs, cores: rampCores() };
    say(`ramp: ${describeCores(ramp.cores)}`);

    // The waits of the last ones must have grown to their longest.
    await sleep(pollMaxMs, undefined, { signal });
    const steadyCores = watchCpu(roots(bench));
    const steadyFromMs = Date.now();
    await sleep(Math.max(pollMaxMs, MIN_STEADY_MS), undefined, { signal });
    const steadyToMs = Date.now();
    const steady = { tookMs: steadyToMs - steadyFromMs, cores: steadyCores() };
    say(`steady: ${describeCores(steady.cores)}`);

    const cohort = sources.slice(0, Math.ceil(sources.length / COHORT_SHARE));
    const cohortIds = new Set(cohort.flatMap(fleet.buildsOf));
    bench.play(holdingScript(cohort));
    await untilEnded(setting, fleet, cohortIds.size, limitMs);
    say(`${cohortIds.size} builds have ended while the others stay`);

    const drainCores = watchCpu(roots(bench));
    bench.play(holdingScript('all'));
    const drainMs = await untilEnded(setting, fleet, builds, limitMs);
    const drain = { tookMs: drainMs, cores: drainCores() };
    say(`all ended ${(drainMs / 1_000).toFixed(1)} s after their release`);
    const peakBytes = Object.fromEntries(
      memory.map(([part, growth]) => [part, growth().peakBytes] as const),
    ) as FlightMeasurement['peakBytes'];

    const outcome = await outcomeOf(setting, fleet, builds);
    const histories = await historiesOf(setting, fleet, cohortIds);
    const others = histories.filter(({ buildId }) => !cohortIds.has(buildId));
    const steadyLooks = others.flatMap(({ looks }) =>
      looks.filter(
        ({ completedAtMs }) => completedAtMs >= steadyFromMs && completedAtMs < steadyToMs,
      ),
    );
    const share = others.length / builds;
    const latencyMs = ({ buildId, looks }: BuildLooks & { buildId: number }) =>
      (fleet.tally.builds.get(buildId)?.receivedAtMs ?? Number.NaN) -
      (looks.at(-1)?.dueAtMs ?? Number.NaN);
    return {
      requestedMs: fleet.requestedMs,
      phases: { ramp, steady, drain },
      peakBytes,
      looksPerSecond: (steadyLooks.length / share / steady.tookMs) * 1_000,
      lateness: spreadOf(steadyLooks.map(latenessMs)),
      maxAttempts: Math.max(...histories.map(({ maxAttempts }) => maxAttempts)),
      retryReasons: [...new Set(histories.flatMap(({ retryReasons }) => retryReasons))].slice(
        0,
        MAX_REASONS,
      ),
      outcome,
      looksOfABuild: median(histories.map(({ looks }) => looks.length)),
      eventsOfABuild: median(histories.map(({ events }) => events)),
      latencies: {
        cohort: spreadOf(histories.filter(({ buildId }) => cohortIds.has(buildId)).map(latencyMs)),
        drain: spreadOf(others.map(latencyMs)),
      },
    };
  } finally {
    await fleet.tally.stop();
  }
}

/** The histories of some builds of a fleet, evenly chosen, and of all that are named. */
async function historiesOf(
  { bench, rows, say }: Setting,
  fleet: Fleet,
  named: ReadonlySet<number>,
): Promise<(BuildLooks & { buildId: number })[]> {
  const builds = await rows.workflowIds(fleet.queue);
  const others = builds.filter(({ buildId }) => !named.has(buildId));
  const chosen = [
    ...builds.filter(({ buildId }) => named.has(buildId)),
    ...evenSample(others, MAX_HISTORIES),
  ];
  const histories = await readHistories(
    bench.stack.addresses.temporalAddress,
    chosen,
    (history, { buildId }) => ({ buildId, ...buildLooks(history) }),
  );
  say(`${histories.length} histories read`);
  return histories;
}

async function outcomeOf(
  { rows }: Setting,
  { queue, tally }: Fleet,
  builds: number,
): Promise<Outcome> {
  const all = [...tally.builds.values()];
  const states = await rows.states(queue);
  const { recorded, unpublished } = await rows.messages(queue);
  return {
    builds,
    completed: Math.min(
      states['completed'] ?? 0,
      all.filter(({ end }) => end === 'COMPLETE').length,
    ),
    failures: tally.failures().slice(0, MAX_REASONS),
    withoutOneFinal: builds - all.filter(({ finals }) => finals === 1).length,
    outOfOrder: all.filter(({ isOutOfOrder }) => isOutOfOrder).length,
    lostMessages: recorded - all.reduce((sum, { messages }) => sum + messages, 0),
    unpublished,
  };
}

/** What was measured, for people. */
function flightResult(measured: FlightMeasurement): Result {
  const { builds, pollInitialMs, pollMaxMs, phases, peakBytes, outcome, latencies } = measured;
  const seconds = (ms: number) => ms / 1_000;
  const phase = (what: string, { tookMs, cores }: Phase) => ({
    'cores in use': what,
    seconds: seconds(tookMs),
    ...cores,
  });
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
      `${builds} builds at once with one worker and one API, each an upload of its own. A few signed sources go into many PPAs, which hold them in "Currently building" until they are released. A look at the PPA comes after ${seconds(pollInitialMs)} s first, and every ${seconds(pollMaxMs)} s at last (AIRLINE_POLL_INITIAL_MS, AIRLINE_POLL_MAX_MS). One build in ${COHORT_SHARE} ends while all others stay in flight, then all others at once.`,
      `${outcome.completed} of ${builds} completed; failures: ${outcome.failures.join('; ') || 'none'}. An activity took ${measured.maxAttempts} tries at most${measured.retryReasons.length > 0 ? ` (${measured.retryReasons.join('; ')})` : ''}.`,
    ],
    goals: [
      atMost('peak memory of the worker, MiB', peakBytes.worker / MIBIBYTE, MAX_WORKER_MIB),
      atLeast('builds with all their messages, in order', isSound(outcome) ? builds : 0, builds),
    ],
    tables: [
      [
        { what: 'requested in, s', measured: seconds(measured.requestedMs) },
        { what: 'looks a second that are due', measured: builds / seconds(pollMaxMs) },
        { what: 'looks a second that came', measured: measured.looksPerSecond },
        { what: 'looks of a build (median)', measured: measured.looksOfABuild },
        { what: 'history events of a build (median)', measured: measured.eventsOfABuild },
        { what: 'builds without exactly one final message', measured: outcome.withoutOneFinal },
        { what: 'builds with a gap or a change of order', measured: outcome.outOfOrder },
        { what: 'messages lost', measured: outcome.lostMessages },
        { what: 'messages not published yet', measured: outcome.unpublished },
        ...Object.entries(peakBytes).map(([part, bytes]) => ({
          what: `most memory of ${part}, MiB`,
          measured: bytes / MIBIBYTE,
        })),
      ],
      [
        phase('until all were in flight', phases.ramp),
        phase('all in flight', phases.steady),
        phase('from their release to the last final message', phases.drain),
      ],
      [
        spread('a look was answered after it was due', measured.lateness),
        spread('end of a build to its final message, others in flight', latencies.cohort),
        spread('the same, all at once', latencies.drain),
      ],
    ],
  };
}

/** Whether every build has completed, with one final message and no message lost, doubled or out of order. */
export function isSound(outcome: Outcome): boolean {
  return (
    outcome.completed === outcome.builds &&
    outcome.failures.length === 0 &&
    outcome.withoutOneFinal === 0 &&
    outcome.outOfOrder === 0 &&
    outcome.lostMessages === 0
  );
}

function latenessMs({ dueAtMs, completedAtMs }: Look): number {
  return completedAtMs - dueAtMs;
}

function roots({ pidOf }: BenchStack) {
  return {
    worker: pidOf('worker'),
    api: pidOf('api'),
    temporal: pidOf('temporal'),
    postgresql: pidOf('postgresql'),
    rabbitmq: pidOf('rabbitmq'),
    'stand-in': pidOf('stand-in'),
    'this process': process.pid,
  };
}

function limitOf(builds: number): number {
  return MIN_LIMIT_MS + builds * LIMIT_PER_BUILD_MS;
}

function describeCores(cores: CoresUsed): string {
  return Object.entries(cores)
    .map(([part, used]) => `${part} ${used.toFixed(2)}`)
    .join(', ');
}
