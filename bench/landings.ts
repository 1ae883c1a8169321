import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { isOver, type LandingPhase } from '../domain/landings/landing-phase.ts';
import type { LandingEventBody } from '../domain/landings/landing.ts';
import { createTicket, storeUpload } from '../main/demo/create-ticket.ts';
import { machineSeries } from '../main/demo/machine-series.ts';
import { waitUntil } from '../main/embedded/wait-until.ts';
import { makeSigningKey, type SigningKey } from '../test/support/signing-key.ts';
import { makeSource, uploadOf } from '../test/support/source-package.ts';
import { withBenchStack, type BenchStack } from './bench-stack.ts';
import { below, type Result, type Row } from './report.ts';
import { sideBySide } from '../timing/side-by-side.ts';
import { median } from './statistics.ts';

const NEEDED_BYTES = 4 * 2 ** 30;
const LIMIT_MS = 15 * 60_000;
const POLL_MS = 250;
const LANES = 4;
/** Landings one after the other, whose steps are measured. */
const ALONE = 5;
const MANY_PACKAGES = 10;
/** What the script lets each step take. */
const STEP_MS = 2_000;
const MAX_OVERHEAD_S = 2;
/** The steps of a landing that nobody has to approve, with what the script lets them take. */
const STEPS = {
  queued: 0,
  building: STEP_MS,
  imaging: STEP_MS,
  testing: STEP_MS,
  publishing: 0,
} as const satisfies Partial<Record<LandingPhase, number>>;
type Step = keyof typeof STEPS;

/** A landing that has ended. */
type Landed = { workflowId: string; events: LandingEventBody[] };

type Setting = {
  bench: BenchStack;
  key: SigningKey;
  distribution: string;
  series: string;
  signal: AbortSignal;
};

/**
 * Lands tickets whose builds, images and tests are scripted: some alone, for what Airline adds to each step, one with
 * many packages, for the length of its history, and many at once.
 */
export async function measureLandings(options: {
  landings: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<Result> {
  const { landings, signal, say } = options;
  const key = await makeSigningKey('Airline Bench', 'bench@airline.example');
  const build = [
    { state: 'Currently building', durationMs: STEP_MS },
    { state: 'Successfully built', binaries: true },
  ];
  const { distribution, series } = await machineSeries();
  const parts = Array.from({ length: MANY_PACKAGES }, (_, at) => `bench-part-${at + 1}`);
  // Each ticket has one test: that of what depends on its first package.
  const tested = Array.from({ length: ALONE + 1 + landings }, (_, at) => nameOf(at));
  tested.push(...parts.slice(0, 1));
  return withBenchStack(
    {
      script: { sources: { '*': { builds: { '*': build } } } },
      files: {
        AIRLINE_TEST_SCRIPT: JSON.stringify({
          images: { landing: { durationMs: STEP_MS } },
          sources: { '*': { landing: [{ durationMs: STEP_MS }] } },
          archive: Object.fromEntries(tested.map((name) => [`${name}-app`, { dependsOn: [name] }])),
        }),
        AIRLINE_LANDING_POLICY:
          "policies: [{ name: bench, targets: [{ archive: '*' }], approval: when_needed }]",
      },
      environment: {
        // The stand-in is to cost nothing beside what its script says.
        AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: '50',
        AIRLINE_STAND_IN_BUILDERS: '50',
        AIRLINE_TEST_SLOTS: '50',
      },
      neededBytes: NEEDED_BYTES,
      signal,
    },
    async (bench) => {
      const setting = { bench, key, distribution, series, signal };
      // The first one makes the base image, and code is compiled.
      await land(setting, await storeTicket(setting, [nameOf(0)]));
      const alone: Landed[] = [];
      for (let at = 1; at <= ALONE; at++)
        alone.push(await land(setting, await storeTicket(setting, [nameOf(at)])));
      say(`${ALONE} landings, one after the other`);
      const large = await land(setting, await storeTicket(setting, parts));
      say(`a landing of ${MANY_PACKAGES} packages`);
      const numbers = Array.from({ length: landings }, (_, at) => ALONE + 1 + at);
      const tickets = await sideBySide(numbers, LANES, (at) => storeTicket(setting, [nameOf(at)]));
      const beganMs = Date.now();
      await Promise.all(tickets.map((ticketId) => land(setting, ticketId)));
      const tookMs = Date.now() - beganMs;
      say(`${landings} landings at once: ${(tookMs / 1_000).toFixed(1)} s`);
      const { temporalAddress } = bench.stack.addresses;
      const lengths = await historyLengths(temporalAddress, [...alone.slice(-1), large]);
      return landingsResult({ landings, tookMs, alone, lengths });
    },
  );
}

/** Stores signed source packages, and makes a ticket for them. The first one is needed by the others to build. */
async function storeTicket(
  { bench, key, series }: Setting,
  names: readonly string[],
): Promise<number> {
  const [first = ''] = names;
  mkdirSync(bench.keysDir, { recursive: true });
  writeFileSync(join(bench.keysDir, 'bench.asc'), key.publicKey);
  const uploads = await sideBySide(names, LANES, async (name) => {
    const made = await makeSource({
      directory: join(bench.scratchDir, name),
      name,
      distribution: series,
      buildDepends: name === first ? [] : [first],
      key,
    });
    const upload = uploadOf(made);
    return { upload, urls: await storeUpload(bench.stack.addresses.api, upload) };
  });
  return (await createTicket(bench.rest, `Land ${first}`, uploads)).ticket.id;
}

/** Lands a ticket in a PPA of its own. @throws Error where it does not end as complete */
async function land(
  { bench, distribution, series, signal }: Setting,
  ticketId: number,
): Promise<Landed> {
  const { rest } = bench;
  const { resource_uri: path, workflow_id: workflowId } = await rest.post<{
    resource_uri: string;
    workflow_id: string;
  }>(`/api/v1/ticket/${ticketId}/land/`, {
    series,
    archive: distribution,
    ppa: `~airline/${distribution}/bench-${ticketId}`,
    target: `~airline/${distribution}/landed`,
  });
  await waitUntil(
    `the end of ${path}`,
    async () => isOver((await rest.get<{ phase: LandingPhase }>(path)).phase),
    { timeoutMs: LIMIT_MS, intervalMs: POLL_MS, signal },
  );
  const { objects: events } = await rest.get<{ objects: LandingEventBody[] }>(
    `${path}events/?limit=1000`,
  );
  const last = events.at(-1);
  if (last?.phase !== 'complete')
    throw new Error(`${path} is ${last?.phase}: ${last?.failure?.message}`);
  return { workflowId, events };
}

async function historyLengths(address: string, landed: readonly Landed[]): Promise<number[]> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    return await Promise.all(
      landed.map(async ({ workflowId }) => {
        const { historyLength } = await workflow.getHandle(workflowId).describe();
        return historyLength;
      }),
    );
  } finally {
    await connection.close();
  }
}

/** How long a landing was in a phase, in seconds, by the times of its events. */
export function secondsIn(events: readonly LandingEventBody[], phase: LandingPhase): number {
  const from = events.findIndex((event) => event.phase === phase);
  const next = events.find((event, at) => at > from && event.phase !== phase);
  const atMs = (event: LandingEventBody | undefined) => Date.parse(event?.timestamp ?? '');
  return (atMs(next) - atMs(events[from])) / 1_000;
}

/** What was measured, for people. */
export function landingsResult({
  landings,
  tookMs,
  alone,
  lengths,
}: {
  landings: number;
  tookMs: number;
  alone: readonly Pick<Landed, 'events'>[];
  /** Of the history of a landing of one package, and of many. */
  lengths: readonly number[];
}): Result {
  const steps = (Object.keys(STEPS) as Step[]).map((step): Row & { overhead: number } => {
    const took = alone.map(({ events }) => secondsIn(events, step));
    const script = STEPS[step] / 1_000;
    return {
      step,
      'median, s': median(took),
      'max, s': Math.max(...took),
      'by the script, s': script,
      overhead: median(took) - script,
    };
  });
  return {
    title: 'Landings',
    notes: [
      `Builds, images and tests are scripted: a build, the image of a landing and a test take ${STEP_MS / 1_000} s each, and the PPA takes up, publishes and copies within 0.1 s. All settings but those of the stand-in and the number of tests at once are the defaults of \`npm start\`. The times of the steps are those of ${ALONE} landings of one package, one after the other, by the times of their events; overhead is what a step takes beside the script.`,
      `${landings} landings at once share one API, one worker, one tester and the machine. Each has one package, one test and a PPA of its own.`,
    ],
    goals: steps.map(({ step, overhead }) =>
      below(`overhead of ${step}, s`, overhead, MAX_OVERHEAD_S),
    ),
    tables: [
      steps,
      [
        {
          what: `landings a minute, ${landings} at once`,
          measured: (landings * 60_000) / tookMs,
        },
        { what: 'history events of a landing with 1 package', measured: lengths[0] ?? Number.NaN },
        {
          what: `history events of a landing with ${MANY_PACKAGES} packages`,
          measured: lengths[1] ?? Number.NaN,
        },
      ],
    ],
  };
}

function nameOf(at: number): string {
  return `bench-land-${at}`;
}
