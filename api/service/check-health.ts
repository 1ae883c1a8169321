import { withDeadline } from '../../timing/deadline.ts';
import { shareAnswer } from '../../timing/share-answer.ts';
import type { Health, Probe } from '../dependencies.ts';
import { orError } from './or-error.ts';

/** A health check counts for this long: anybody may ask, and each check costs every part something. */
export const MAX_AGE_MS = 2_000;

/**
 * Makes the health check of the parts that a process depends on. Those who ask at the same time, or soon after, share
 * one.
 *
 * @param timeoutMs time for a part to answer
 * @param options.maxAgeMs how long a health check counts for
 */
export function createHealthCheck<Part extends string>(
  probes: Readonly<Record<Part, Probe>>,
  timeoutMs: number,
  { maxAgeMs = MAX_AGE_MS, now = () => performance.now() } = {},
): () => Promise<Record<Part, Health>> {
  return shareAnswer(() => examineAll(probes, timeoutMs), maxAgeMs, now);
}

async function examineAll<Part extends string>(
  probes: Readonly<Record<Part, Probe>>,
  timeoutMs: number,
): Promise<Record<Part, Health>> {
  const entries = Object.entries<Probe>(probes).map(async ([name, probe]) => [
    name,
    await examine(() => withDeadline(probe(), timeoutMs)),
  ]);
  return Object.fromEntries(await Promise.all(entries)) as Record<Part, Health>;
}

async function examine(probe: Probe): Promise<Health> {
  const startedAtMs = performance.now();
  const { error } = await orError(probe);
  const latency = Math.round(performance.now() - startedAtMs);
  return { healthy: error === undefined, latency_ms: latency, ...(error ? { error } : {}) };
}

/** Anybody may ask whether a process is ready, and what went wrong names addresses and users. */
export function withoutErrors(parts: Readonly<Record<string, Health>>) {
  return Object.fromEntries(
    Object.entries(parts).map(([name, { healthy, latency_ms }]) => [name, { healthy, latency_ms }]),
  );
}
