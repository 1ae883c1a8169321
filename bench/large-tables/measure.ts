import { openDatabase } from '../../models/database.ts';
import { freePorts } from '../../test/support/stack/free-ports.ts';
import { airline, startServer } from '../api/server-process.ts';
import { withBenchStack } from '../bench-stack.ts';
import { atLeast, type Result } from '../report.ts';
import { medians, RATE, runRounds, shareOf } from '../rounds.ts';
import { spreadOf } from '../statistics.ts';
import { withClient } from '../with-client.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { makeLargeDatabase, OPEN_TICKETS, UNFINISHED_BUILDS, type Rows } from './seed.ts';

const POOL_SIZE = 10;
const MIN_SHARE = 0.8;
const WARM_UP = 20;
/** Tables, indexes and what building them takes meanwhile, of a ticket, and of a build with its landing. */
const BYTES = { ticket: 2_500, build: 10_000 };

type Options = {
  rounds: number;
  windowMs: number;
  small: Rows;
  large: Rows;
  signal: AbortSignal;
  say: (line: string) => void;
};
/** A database with an API in front of it. */
type Side = { title: string; api: string; database: ReturnType<typeof openDatabase> };

/**
 * Measures what the service asks of its database on a small and on a large one, in turn, one request after the other.
 * What is under way is the same in both.
 *
 * @throws Error where an answer is not 200, and the signal's reason
 */
export async function measureLargeTables(options: Options): Promise<Result> {
  const { small, large, signal } = options;
  const neededBytes = 2 ** 30 + large.tickets * BYTES.ticket + large.builds * BYTES.build;
  const stackOptions = { only: ['postgresql'] as const, neededBytes, signal };
  return withBenchStack(stackOptions, async ({ stack, scratchDir }) => {
    const urls: string[] = [];
    for (const [name, rows] of Object.entries({ small, large })) {
      const { databaseUrl } = stack.addresses;
      await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE ${name}`));
      const url = databaseUrl.replace(/[^/]*$/, name);
      await makeLargeDatabase(url, rows, options.say);
      urls.push(url);
    }
    return measureDatabases(urls, scratchDir, options);
  });
}

/** @param urls those of the small and of the large database */
async function measureDatabases(
  urls: readonly string[],
  directory: string,
  options: Options,
): Promise<Result> {
  const ports = Object.values(await freePorts());
  const running: { stop: () => Promise<void> }[] = [];
  try {
    const sides: Side[] = [];
    for (const [index, databaseUrl] of urls.entries()) {
      const title = index === 0 ? 'small' : 'large';
      const setting = { name: title, databaseUrl, port: ports[index] ?? 0, directory };
      const server = await startServer(airline, setting, options.signal);
      running.push(server);
      const database = openDatabase(databaseUrl, POOL_SIZE);
      running.push({ stop: () => database.close() });
      sides.push({ title, api: server.url, database });
    }
    return resultOf(await measureAll(sides, options), options);
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
}

async function measureAll(sides: readonly Side[], { rounds, windowMs, signal, say }: Options) {
  const measured = new Map<Operation, Awaited<ReturnType<typeof runRounds>>>();
  // All of them first: a process that has just started is slow in many ways.
  for (const operation of OPERATIONS)
    for (const side of sides)
      for (let round = 0; round < WARM_UP; round++) await operation.run({ ...side, round });
  for (const operation of OPERATIONS) {
    const contenders = sides.map((side) => async () => ({
      [side.title]: await measure(operation, side, windowMs, signal),
    }));
    const what = `${operation.title}, `;
    measured.set(operation, await runRounds(contenders, { rounds, what, signal, say }));
  }
  return measured;
}

async function measure(operation: Operation, side: Side, windowMs: number, signal: AbortSignal) {
  const startedAtMs = performance.now();
  const timesMs: number[] = [];
  for (let nowMs = startedAtMs; nowMs - startedAtMs < windowMs;) {
    signal.throwIfAborted();
    await operation.run({ ...side, round: timesMs.length });
    const endMs = performance.now();
    timesMs.push(endMs - nowMs);
    nowMs = endMs;
  }
  const { p50Ms, p99Ms } = spreadOf(timesMs);
  return { [RATE]: 1_000 / p50Ms, 'p50, ms': p50Ms, 'p99, ms': p99Ms };
}

function resultOf(
  measured: Awaited<ReturnType<typeof measureAll>>,
  { small, large, rounds, windowMs }: Options,
): Result {
  const count = (number: number) => number.toLocaleString('en-US');
  return {
    title: `${count(large.tickets)} tickets and ${count(large.builds)} builds`,
    notes: [
      `The small database has ${count(small.tickets)} tickets and ${count(small.builds)} builds, the large one ${count(large.tickets)} and ${count(large.builds)}, with four events and two build records for each build; in both ${count(OPEN_TICKETS)} tickets are open and ${count(UNFINISHED_BUILDS)} builds have not ended. Both are made by SQL and are in one PostgreSQL as it ships. One request or call comes after the other; rates are those of the median time. Medians of ${rounds} rounds of ${windowMs / 1_000} s, in which both take turns; a share is the median of the rounds' own.`,
    ],
    goals: [...measured].flatMap(([{ title, hasGoal }, found]) =>
      hasGoal
        ? [
            atLeast(
              `${title}: share of the small database`,
              shareOf(found, 'large', 'small'),
              MIN_SHARE,
            ),
          ]
        : [],
    ),
    tables: [
      [...measured].map(([{ title }, found]) => ({
        what: title,
        'small, p50 in ms': medians(found, 'small')['p50, ms'] ?? Number.NaN,
        'large, p50 in ms': medians(found, 'large')['p50, ms'] ?? Number.NaN,
        'large, p99 in ms': medians(found, 'large')['p99, ms'] ?? Number.NaN,
        share: shareOf(found, 'large', 'small'),
      })),
    ],
  };
}
