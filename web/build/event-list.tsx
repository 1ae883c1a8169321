import { useLayoutEffect, useRef } from 'preact/hooks';
import { withoutRequests } from '../../domain/access/requester.ts';
import { Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { clockTime, counted, exactTime } from '../format.ts';
import type { Events } from '../server/use-events.ts';
import { architectureLabel, phaseLabel } from '../states.ts';
import { groupsOf, type EventGroup } from './event-groups.ts';

/** So near to its end, a list stays there as events come. */
const END_PX = 40;

/** All events of a build in order; what repeats the one before is one line. A new one comes at the end. */
export function EventList({
  events,
  isLoaded,
  error,
  reload,
  isOpen,
}: Events & {
  /** Whether more may come. */
  isOpen: boolean;
}) {
  const list = useRef<HTMLOListElement>(null);
  // What happened last is what is read first.
  const isAtEnd = useRef(true);
  const noteEnd = ({ currentTarget: at }: { currentTarget: HTMLElement }) => {
    isAtEnd.current = at.scrollTop + at.clientHeight >= at.scrollHeight - END_PX;
  };
  useLayoutEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [events, error]);
  const fault = error && <ErrorNote what="The events" error={error} retry={reload} />;
  if (events.length === 0)
    return (
      <div class="events-none">
        {fault}
        {isLoaded && !error && (
          <Empty icon="pulse" title="There are no events yet.">
            <p>Each message to the caller's queue shows up here as it is recorded.</p>
          </Empty>
        )}
        {!isLoaded && !error && <Skeleton lines={4} />}
      </div>
    );
  return (
    <ol ref={list} class="card events" aria-label="Events" tabIndex={0} onScroll={noteEnd}>
      {groupsOf(events).map((group) => (
        <EventLine key={group.first.seq} group={group} />
      ))}
      {fault && <li class="event event-next">{fault}</li>}
      {isOpen && !fault && <li class="event event-next muted">More as they come</li>}
    </ol>
  );
}

function EventLine({ group: { first, last, repeats, changes } }: { group: EventGroup }) {
  return (
    <li class="event">
      <span class="event-seq figure">
        {last.seq === first.seq ? first.seq : `${first.seq}–${last.seq}`}
      </span>
      <time class="event-time figure" dateTime={first.timestamp} title={exactTime(first.timestamp)}>
        {clockTime(first.timestamp)}
      </time>
      <span>
        <StateBadge label={phaseLabel(first.phase)} isPlain />
      </span>
      <span class="event-told">
        {first.message === null && `attempt ${first.attempt}`}
        {first.failure && <span class="breakable">{withoutRequests(first.failure.message)}</span>}
        {changes.map((one) => (
          <span key={`${one.package} ${one.architecture}`} class="event-change">
            {one.package} on {one.architecture}:{' '}
            <StateBadge label={architectureLabel(one)} isPlain />
            <span class="muted">{one.buildstate}</span>
          </span>
        ))}
        {repeats > 0 && (
          <span class="muted">
            {counted(repeats, 'report')} without a change until {clockTime(last.timestamp)}
          </span>
        )}
      </span>
    </li>
  );
}
