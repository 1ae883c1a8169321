import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { CHANGED_KINDS, type ChangedKind } from '../../models/events/change-notices.ts';
import type { ProgressFeed } from '../../models/events/progress-feed.ts';
import { createWakeableSleep } from '../../timing/wakeable-sleep.ts';

/** The most ids of a kind in one event. If there are more, the client is told to load again. */
const MAX_IDS = 1_000;

/** The changes since the last event. */
type Pending = { isReady: boolean } & Record<ChangedKind, Set<number>>;

/**
 * Writes which tickets, builds and landings change, as Server-Sent Events. `ready` comes before them, and again
 * whenever changes may have been missed. Every later change is reported, so that is when a client loads what it shows.
 * `change` has the ids of the rows that have changed since the previous event. `heartbeat` is an event, too, since a
 * page does not see comments; `ready` and it say as `heartbeat_ms` how soon the next event comes at the latest.
 *
 * @param intervals.changesMs the shortest time between two events
 * @param intervals.heartbeatMs a heartbeat is sent after this time without an event
 */
export async function streamChanges(
  feed: ProgressFeed,
  intervals: { changesMs: number; heartbeatMs: number },
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const untilChanged = createWakeableSleep(signal);
  const betweenEvents = createWakeableSleep(signal);
  const pending: Pending = {
    isReady: false,
    ticket: new Set(),
    build: new Set(),
    landing: new Set(),
  };
  const alive = `data: ${JSON.stringify({ heartbeat_ms: intervals.heartbeatMs })}\n\n`;
  const missed = () => {
    pending.isReady = true;
    for (const kind of CHANGED_KINDS) pending[kind].clear();
    untilChanged.wake();
  };
  const unsubscribe = feed.subscribeToChanges({
    missed,
    changed: (kind, id) => {
      // A client that was told to load again gets this change by doing so.
      if (pending.isReady) return;
      pending[kind].add(id);
      if (pending[kind].size > MAX_IDS) missed();
      untilChanged.wake();
    },
  });
  try {
    while (!signal.aborted) {
      await untilChanged.sleep(intervals.heartbeatMs);
      if (signal.aborted) return;
      const event = take(pending, alive);
      if (!output.write(event ?? `event: heartbeat\n${alive}`))
        await once(output, 'drain', { signal });
      if (event !== undefined) await betweenEvents.sleep(intervals.changesMs);
    }
  } finally {
    unsubscribe();
  }
}

/** Makes the event of the pending changes and clears them. @param alive the data of `ready` */
function take(pending: Pending, alive: string): string | undefined {
  if (pending.isReady) {
    pending.isReady = false;
    return `event: ready\n${alive}`;
  }
  if (CHANGED_KINDS.every((kind) => pending[kind].size === 0)) return undefined;
  const ids = Object.fromEntries(CHANGED_KINDS.map((kind) => [kind, [...pending[kind]]]));
  for (const kind of CHANGED_KINDS) pending[kind].clear();
  return `event: change\ndata: ${JSON.stringify(ids)}\n\n`;
}
