import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import type { RunningPart } from './part-runner.ts';
import type { Blow } from './blow.ts';

/** Parts that are down at once, at most. */
const MAX_DOWN = 2;
const TURN_MS = 240_000;
const POLL_MS = 100;

/** How often each kind of blow fell. */
export type BlowCount = Partial<Record<Blow['kind'], number>>;

/** Deals one blow. @returns lets its victim come back, once the time for that has come */
export type Strike = (blow: Blow, victim: RunningPart) => Promise<() => Promise<void>>;

/**
 * Deals the planned blows, one after another: each at its time, or later where too much is down then. Each victim comes
 * back: a part that was killed is started again, one that was paused goes on.
 *
 * @param strike deals one
 * @param onBlow told of each before it falls
 * @returns how often each part was hit
 * @throws where a part does not come back
 */
export async function dealBlows(
  blows: readonly Blow[],
  parts: ReadonlyMap<string, RunningPart>,
  strike: Strike,
  onBlow: (blow: Blow, index: number) => void,
): Promise<Map<string, BlowCount>> {
  const counts = new Map<string, BlowCount>();
  const recoveries: Promise<void>[] = [];
  const isDown = ({ state }: RunningPart) => state !== 'up' && state !== 'gone';

  for (const [index, blow] of blows.entries()) {
    await delay(blow.gapMs);
    const victim = parts.get(blow.victim);
    if (!victim) throw new Error(`there is no part ${blow.victim}`);
    const mayFall = () => {
      const others = [...parts.values()].filter((part) => part !== victim && isDown(part)).length;
      if (others >= (blow.besideAnother ? MAX_DOWN : 1)) return false;
      return blow.whenUp ? victim.state === 'up' : ['up', 'starting'].includes(victim.state);
    };
    await waitUntil(`the turn of ${blow.kind} ${index + 1} (${blow.victim})`, mayFall, {
      timeoutMs: TURN_MS,
      intervalMs: POLL_MS,
    });
    onBlow(blow, index);
    const count = counts.get(blow.victim) ?? {};
    counts.set(blow.victim, count);
    count[blow.kind] = (count[blow.kind] ?? 0) + 1;
    const comeBack = await strike(blow, victim);
    const recovery = delay(blow.downMs).then(comeBack);
    // It is awaited at the end; until then it must not be unhandled.
    recovery.catch(() => undefined);
    recoveries.push(recovery);
  }
  await Promise.all(recoveries);
  for (const part of parts.values()) if (isDown(part)) await part.up();
  return counts;
}

/** Kills or pauses a part. */
export const strikePart: Strike = async ({ kind }, victim) => {
  switch (kind) {
    case 'kill':
      await victim.kill();
      return () => victim.start();
    case 'pause':
      victim.pause();
      return async () => victim.goOn();
    default:
      throw new Error(`${kind} is for machines`);
  }
};
