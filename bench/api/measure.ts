import { withBenchDatabase } from './bench-database.ts';
import { load, type Sample } from './load.ts';
import type { Measured } from './measured.ts';
import { OPERATIONS, type Operation, type OperationName } from './operations.ts';
import { countHistory } from './seed.ts';
import type { Result } from '../report.ts';
import { apiResult } from './api-result.ts';
import { COMPARISONS, startTargets, type ComparisonName, type Target } from './targets.ts';

export type MeasureOptions = {
  rounds: number;
  windowMs: number;
  only: readonly OperationName[];
  signal: AbortSignal;
  say: (line: string) => void;
};

const LEAD_IN_MS = 1_000;
const WARM_UP_MS = 3_000;
// Requests that are cut at the end of a window may or may not have written, and two servers on one table may find
// a ticket where they put it.
const MIN_HISTORY = 0.98;

/**
 * Measures the servers of a comparison. All run at once on one PostgreSQL and are loaded in turn, so that a machine
 * that slows down or speeds up does so for all.
 *
 * @throws Error where answers differ or fail, or a PATCH leaves no row of history
 */
export async function measureApi(name: ComparisonName, options: MeasureOptions): Promise<Result> {
  const measured = await withBenchDatabase(options.signal, async (database) => {
    const targets = await startTargets(name, database, options);
    const measured: Measured[] = [];
    for (const operation of OPERATIONS)
      if (options.only.includes(operation.name))
        measured.push(...(await measureOperation(operation, targets, options)));
    return measured;
  });
  return apiResult(name, measured, options);
}

/** Whether it is the name of a comparison. */
export function isComparison(name: string): name is ComparisonName {
  return Object.hasOwn(COMPARISONS, name);
}

async function measureOperation(
  operation: Operation,
  targets: readonly Target[],
  { rounds, windowMs, signal, say }: MeasureOptions,
): Promise<Measured[]> {
  const measured = targets.map((target) => ({
    target,
    result: {
      operation: operation.name,
      title: target.title,
      size: target.size,
      samples: [],
    } as Measured,
  }));
  for (const target of targets) await measureTarget(target, operation, WARM_UP_MS, signal);
  for (let number = 0; number < rounds; number++) {
    for (const { target, result } of number % 2 === 0 ? measured : measured.toReversed())
      result.samples.push(await measureTarget(target, operation, windowMs, signal));
    const rates = measured.map(({ result }) => result.samples.at(-1)?.requestsPerSecond.toFixed(0));
    say(`${operation.title}, round ${number + 1} of ${rounds}: ${rates.join(', ')} requests/s`);
  }
  return measured.map(({ result }) => result);
}

async function measureTarget(
  { title, servers, databaseUrl, ids, history }: Target,
  operation: Operation,
  windowMs: number,
  signal: AbortSignal,
): Promise<Sample> {
  const isPatch = operation.name === 'patch';
  const before = isPatch ? await countHistory(databaseUrl, history) : 0;
  const times = { leadInMs: LEAD_IN_MS, windowMs };
  const { sample, answered } = await load(servers, operation, ids, times, signal);
  const written = isPatch ? (await countHistory(databaseUrl, history)) - before : answered;
  if (written < answered * MIN_HISTORY)
    throw new Error(`${title}: ${answered} PATCHes left ${written} rows of history`);
  for (const server of servers) server.boundLog();
  return sample;
}
