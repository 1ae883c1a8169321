import type { BuildLimits } from '../../domain/build-request.ts';
import { pollDelayMs } from '../../workflows/poll-schedule.ts';

/** A build's looks at the PPA and the events of its history. */
export type LooksAndEvents = { looks: number; events: number };

/** What a history costs: so many events without any look, and so many more with each. */
export type EventCosts = { base: number; perLook: number };

/** How many looks it takes, by the schedule alone, until one comes when the PPA has built. */
export function looksUntil(limits: BuildLimits, builtAfterMs: number): number {
  let looks = 0;
  for (let atMs = 0; atMs < builtAfterMs || looks === 0; looks++)
    atMs += pollDelayMs(limits, looks, Number.MAX_SAFE_INTEGER);
  return looks;
}

/**
 * The line through builds with different numbers of looks.
 *
 * @throws Error where they are on no line: then a look does not always cost the same
 */
export function eventCosts(builds: readonly LooksAndEvents[]): EventCosts {
  const sorted = builds.toSorted((a, b) => a.looks - b.looks);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most || least.looks === most.looks)
    throw new Error('The cost of a look takes builds with different numbers of looks.');
  const perLook = (most.events - least.events) / (most.looks - least.looks);
  const base = least.events - perLook * least.looks;
  const odd = builds.find(({ looks, events }) => events !== base + perLook * looks);
  if (odd)
    throw new Error(
      `${odd.looks} looks took ${odd.events} events, not ${base + perLook * odd.looks}, as those of other builds say.`,
    );
  return { base, perLook };
}
