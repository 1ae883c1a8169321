import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import type { RunningPart } from './part-runner.ts';
import type { Blow } from './plan.ts';

/** Parts that are down at once, at most. */
const MAX_DOWN = 2;
const TURN_MS = 240_000;
const LOOK_MS = 100;

export type BlowCount = { kills: number; pauses: number };

/**
 * Deals the planned blows, one after another: each at its time, or later where too much is down then. A part that was
 * killed is started again, one that was paused goes on.
 *
 * @param onBlow told of each before it falls
 * @returns how often each part was hit
 * @throws where a part does not come back
 */
export async function dealBlows(
  blows: readonly Blow[],
  parts: ReadonlyMap<string, RunningPart>,
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
      intervalMs: LOOK_MS,
    });
    onBlow(blow, index);
    const count = counts.get(blow.victim) ?? { kills: 0, pauses: 0 };
    counts.set(blow.victim, count);
    count[blow.kind === 'kill' ? 'kills' : 'pauses'] += 1;
    if (blow.kind === 'kill') await victim.kill();
    else victim.pause();
    const recovery = recover(victim, blow);
    // It is awaited at the end; until then it must not be unhandled.
    recovery.catch(() => undefined);
    recoveries.push(recovery);
  }
  await Promise.all(recoveries);
  for (const part of parts.values()) if (isDown(part)) await part.up();
  return counts;
}

async function recover(victim: RunningPart, { kind, downMs }: Blow): Promise<void> {
  await delay(downMs);
  if (kind === 'kill') await victim.start();
  else victim.goOn();
}
