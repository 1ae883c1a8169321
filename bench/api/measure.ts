import type { Result } from '../report.ts';
import { runRounds, type Rounds, type Sample } from '../rounds.ts';
import { apiResult } from './api-result.ts';
import { load } from './load.ts';
import { OPERATIONS, type Operation, type OperationName } from './operations.ts';
import { countHistory } from './seed.ts';
import { targetTitle, withTargets, type ComparisonName, type Target } from './targets.ts';

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
export async function measureApi(
  name: ComparisonName,
  options: {
    rounds: number;
    windowMs: number;
    only: readonly OperationName[];
    signal: AbortSignal;
    say: (line: string) => void;
  },
): Promise<Result> {
  const { windowMs, only, signal } = options;
  const measured = new Map<OperationName, Rounds>();
  await withTargets(name, options, async (targets) => {
    for (const operation of OPERATIONS.filter((one) => only.includes(one.name))) {
      for (const target of targets) await measureTarget(target, operation, WARM_UP_MS, signal);
      const contenders = targets.map((target) => async () => ({
        [targetTitle(target.title, target.size)]: await measureTarget(
          target,
          operation,
          windowMs,
          signal,
        ),
      }));
      const rounds = await runRounds(contenders, { ...options, what: `${operation.title}, ` });
      measured.set(operation.name, rounds);
    }
  });
  return apiResult(name, measured, options);
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
