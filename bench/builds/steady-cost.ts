import { setTimeout as sleep } from 'node:timers/promises';
import type { PartName } from '../../main/embedded/part.ts';
import type { BenchStack } from '../bench-stack.ts';
import { processTimeMs } from '../process-time.ts';
import type { BuildRows } from './build-rows.ts';

/**
 * What builds cost while they wait, over a time.
 *
 * @returns calls of the PPAs a second, and the processor cores that each of the parts takes
 * @throws the signal's reason
 */
export async function measureSteadyCost<Part extends PartName>(
  { bench, rows, signal }: { bench: BenchStack; rows: BuildRows; signal: AbortSignal },
  parts: readonly Part[],
  durationMs: number,
): Promise<{ callsPerSecond: number; cores: Record<Part, number> }> {
  const workMs = () => parts.map((part) => processTimeMs(bench.pidOf(part)));
  const fromMs = Date.now();
  const [callsBefore, workBefore] = [await rows.calls(), workMs()];
  await sleep(durationMs, undefined, { signal });
  const tookMs = Date.now() - fromMs;
  const callsPerSecond = ((await rows.calls()) - callsBefore) / (tookMs / 1_000);
  const cores = workMs().map((ms, at) => (ms - (workBefore[at] ?? Number.NaN)) / tookMs);
  return {
    callsPerSecond,
    cores: Object.fromEntries(parts.map((part, at) => [part, cores[at]])) as Record<Part, number>,
  };
}
