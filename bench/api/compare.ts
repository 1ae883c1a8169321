import { withBenchDatabase, type BenchDatabase } from './bench-database.ts';
import { load, type Sample } from './load.ts';
import { OPERATIONS, type Operation, type OperationName } from './operations.ts';
import { requireSameAnswers } from './same-answers.ts';
import { countHistory, readIds, SIZES, type Size, type TicketIds } from './seed.ts';
import type { ServerProcess } from './server-process.ts';
import { startAirline, startRaw } from './servers.ts';

/** One round: both servers on both databases, in turn. */
type Round = { first: 'raw' | 'airline' } & Record<Size, { raw: Sample; airline: Sample }>;
export type OperationRounds = { operation: OperationName; rounds: Round[] };

export type MeasureOptions = {
  rounds: number;
  windowMs: number;
  only: readonly OperationName[];
  signal: AbortSignal;
  say: (line: string) => void;
  profileDir?: string | undefined;
};

const LEAD_IN_MS = 1_000;
const WARM_UP_MS = 3_000;
const MAX_IDS = 20_000;
// Requests that are cut at the end of a window may or may not have written.
const MIN_HISTORY = 0.99;

type Target = {
  kind: 'raw' | 'airline';
  size: Size;
  server: ServerProcess;
  url: string;
  ids: TicketIds;
};

/**
 * Measures Airline's API beside its peer. All four servers, each kind on each database, run at once on one PostgreSQL
 * and are loaded in turn, so that a machine that slows down or speeds up does so for all.
 *
 * @throws Error where answers differ or fail, or a PATCH leaves no row of history
 */
export function measureApi(options: MeasureOptions): Promise<OperationRounds[]> {
  const { signal, say, only } = options;
  return withBenchDatabase(signal, async (database) => {
    const targets = await startTargets(database, options);
    const operations = OPERATIONS.filter(({ name }) => only.includes(name));
    const measured: OperationRounds[] = [];
    for (const operation of operations) {
      say(operation.title);
      measured.push(await measureOperation(operation, targets, options));
    }
    return measured;
  });
}

async function startTargets(
  database: BenchDatabase,
  { signal, say, profileDir }: MeasureOptions,
): Promise<Target[]> {
  const { directory, ports, keep } = database;
  const setting = { directory, signal, profileDir };
  const freePorts = [...ports];
  const nextPort = () => freePorts.shift() ?? 0;
  const targets: Target[] = [];
  for (const size of ['small', 'large'] as const) {
    const url = await database.make(size, SIZES[size]);
    const ids = await readIds(url, MAX_IDS);
    const raw = await keep(startRaw(`raw ${size}`, url, nextPort(), setting));
    const airline = await keep(startAirline(`airline ${size}`, url, nextPort(), setting));
    await requireSameAnswers(raw, airline, ids);
    targets.push({ kind: 'raw', size, server: raw, url, ids });
    targets.push({ kind: 'airline', size, server: airline, url, ids });
    say(`${size} database: ready, and both servers give the same bytes`);
  }
  return targets;
}

async function measureOperation(
  operation: Operation,
  targets: readonly Target[],
  { rounds: count, windowMs, signal, say }: MeasureOptions,
): Promise<OperationRounds> {
  const measure = async ({ server, url, ids, kind }: Target, times: Parameters<typeof load>[3]) => {
    const before = operation.name === 'patch' ? (await countHistory(url))[kind] : 0;
    const { sample, answered } = await load(server, operation, ids, times, signal);
    if (operation.name === 'patch') {
      const written = (await countHistory(url))[kind] - before;
      if (written < answered * MIN_HISTORY)
        throw new Error(`${server.name}: ${answered} PATCHes left ${written} rows of history`);
    }
    server.boundLog();
    return sample;
  };
  for (const target of targets)
    await measure(target, { leadInMs: LEAD_IN_MS, windowMs: WARM_UP_MS });

  const rounds: Round[] = [];
  for (let number = 0; number < count; number++) {
    const isEven = number % 2 === 0;
    const samples = new Map<string, Sample>();
    for (const target of isEven ? targets : targets.toReversed())
      samples.set(
        `${target.kind} ${target.size}`,
        await measure(target, { leadInMs: LEAD_IN_MS, windowMs }),
      );
    const of = (size: Size) => ({
      raw: found(samples, `raw ${size}`),
      airline: found(samples, `airline ${size}`),
    });
    const round: Round = {
      first: isEven ? 'raw' : 'airline',
      small: of('small'),
      large: of('large'),
    };
    rounds.push(round);
    say(`  round ${number + 1} of ${count}: ${describeRound(round)}`);
  }
  return { operation: operation.name, rounds };
}

function describeRound(round: Round): string {
  return (['small', 'large'] as const)
    .map((size) => {
      const { raw, airline } = round[size];
      const ratio = airline.requestsPerSecond / raw.requestsPerSecond;
      return `${size} raw ${raw.requestsPerSecond.toFixed(0)}/s, Airline ${airline.requestsPerSecond.toFixed(0)}/s (${ratio.toFixed(2)})`;
    })
    .join('; ');
}

function found<T>(map: ReadonlyMap<string, T>, key: string): T {
  const value = map.get(key);
  if (value === undefined) throw new Error(`there is no sample of ${key}`);
  return value;
}
