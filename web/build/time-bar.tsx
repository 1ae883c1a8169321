import { durationText } from '../../domain/text/quantity-text.ts';
import type { Tone } from '../states.ts';
import type { Stretches } from './build-times.ts';

/** The stretches of a build in words: `waited 20 s, built 4 min, published after 1 min`. */
export function stretchWords({ waitedMs, builtMs, publishedMs }: Stretches): string {
  return [
    ...(waitedMs === undefined ? [] : [`waited ${durationText(waitedMs)}`]),
    ...(builtMs === undefined ? [] : [`built ${durationText(builtMs)}`]),
    ...(publishedMs === undefined ? [] : [`published after ${durationText(publishedMs)}`]),
  ].join(', ');
}

/** How long a build took in all. */
export function totalMs({ waitedMs = 0, builtMs = 0, publishedMs = 0 }: Stretches): number {
  return waitedMs + builtMs + publishedMs;
}

/**
 * A thin bar of how long a build waited, was built, and took to be published. What it says stands beside it in words.
 *
 * @param ofMs the time that its whole width stands for
 */
export function TimeBar({
  stretches,
  tone,
  ofMs,
}: {
  stretches: Stretches;
  tone: Tone;
  ofMs: number;
}) {
  const { waitedMs, builtMs, publishedMs } = stretches;
  return (
    <svg class={`time-bar time-bar-${tone}`} aria-hidden="true" width="100%" height="4">
      <Stretch name="waited" fromMs={0} ms={waitedMs} ofMs={ofMs} />
      <Stretch name="built" fromMs={waitedMs ?? 0} ms={builtMs} ofMs={ofMs} />
      <Stretch
        name="published"
        fromMs={(waitedMs ?? 0) + (builtMs ?? 0)}
        ms={publishedMs}
        ofMs={ofMs}
      />
    </svg>
  );
}

function Stretch({
  name,
  fromMs,
  ms,
  ofMs,
}: {
  name: string;
  fromMs: number;
  ms: number | undefined;
  ofMs: number;
}) {
  if (!ms || ofMs <= 0) return null;
  return (
    <rect
      class={`stretch-${name}`}
      x={`${percent(fromMs / ofMs)}%`}
      width={`${percent(ms / ofMs)}%`}
      height="4"
    />
  );
}

function percent(share: number): number {
  return Math.round(Math.min(1, share) * 1_000) / 10;
}
