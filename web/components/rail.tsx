import { durationText } from '../../domain/text/quantity-text.ts';
import { exactTime, shortTime } from '../format.ts';
import { Icon } from './icon.tsx';
import { Elapsed } from './relative-time.tsx';
import type { Stop } from './stop.ts';

const ICONS = {
  past: 'done',
  here: 'underway',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'cancelled',
  unknown: 'unknown',
  removed: 'unknown',
  ahead: 'queued',
} as const;
const WORDS = {
  past: 'done',
  here: 'now',
  failed: 'failed here',
  cancelled: 'cancelled here',
  skipped: 'skipped',
  unknown: 'not known yet',
  removed: 'no longer kept',
  ahead: 'to come',
} as const;

/** A way through stops, with when each was come to and how long that took. */
export function Rail({ label, stops }: { label: string; stops: readonly Stop[] }) {
  return (
    <section aria-label={label}>
      <ol class={`timeline timeline-${stops.length}`}>
        {stops.map((stop) => (
          <StopOf key={stop.key} stop={stop} />
        ))}
      </ol>
    </section>
  );
}

function StopOf({ stop }: { stop: Stop }) {
  const { word, enteredAt, isWait = false, isEnd = false } = stop;
  const state = isEnd && stop.state === 'here' ? 'past' : stop.state;
  return (
    <li class={`stop stop-${state}`} aria-current={stop.state === 'here' ? 'step' : undefined}>
      <span class="stop-mark">
        <Icon name={isWait && state === 'here' ? 'queued' : ICONS[state]} size={20} />
      </span>
      <span class="stop-word">{word}</span>
      <span class="stop-time">
        {enteredAt === undefined ? (
          WORDS[state]
        ) : (
          <>
            <time dateTime={enteredAt} title={exactTime(enteredAt)}>
              {shortTime(enteredAt)}
            </time>
            <span class="stop-stay">
              <Stay stop={{ ...stop, state }} enteredAt={enteredAt} />
            </span>
          </>
        )}
      </span>
    </li>
  );
}

function Stay({ stop: { state, leftAt, isEnd }, enteredAt }: { stop: Stop; enteredAt: string }) {
  if (state === 'past' && isEnd) return <>complete</>;
  if (state === 'here')
    return (
      <>
        for <Elapsed since={enteredAt} />
      </>
    );
  if (leftAt === undefined) return null;
  const stayed = durationText(Date.parse(leftAt) - Date.parse(enteredAt));
  if (state === 'past') return <>took {stayed}</>;
  if (state === 'failed' || state === 'cancelled')
    return (
      <>
        {state} after {stayed}
      </>
    );
  return null;
}
