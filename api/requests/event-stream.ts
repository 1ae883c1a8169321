import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { createWakeableSleep } from '../../timing/wakeable-sleep.ts';
import type { StreamIntervals } from '../dependencies.ts';

/** How many events one stream holds in memory; an event can be as large as a request. */
const PAGE = 20;

/** An event of a build or of a landing. */
export type NumberedEvent = {
  readonly seq: number;
  readonly attempt: number;
  /** It is the last one of its attempt. */
  readonly exit?: true;
  /** What the worker reports, where it is a build's. */
  readonly message?: string | null;
};

/** Where the events of one build or landing come from. */
export type EventSource<Event extends NumberedEvent> = {
  /** So many events after a `seq`, in order; where it is bounded, fewer that would be too large together. */
  read(after: number, limit: number, options: { isBounded: boolean }): Promise<Event[]>;
  latestAttempt(): Promise<number | undefined>;
  /** Has `wake` called when there may be new ones. @returns ends that */
  subscribe(wake: () => void): () => void;
};

/**
 * Writes events after `seq` as Server-Sent Events, as they come, until the latest attempt's final one is written or the
 * signal aborts. The table decides what is sent; a notification only says when to look.
 */
export async function streamEvents<Event extends NumberedEvent>(
  source: EventSource<Event>,
  {
    after,
    intervals,
    withPresentAddresses,
  }: {
    after: number;
    intervals: StreamIntervals;
    withPresentAddresses: (json: string) => string;
  },
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const { sleep, wake } = createWakeableSleep(signal);
  const unsubscribe = source.subscribe(wake);
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain', { signal });
  };
  try {
    let seq = after;
    let writtenAtMs = performance.now();
    while (!signal.aborted) {
      const events = await source.read(seq, PAGE, { isBounded: false });
      for (const event of events) {
        await write(withPresentAddresses(serverSentEvent(event)));
        seq = event.seq;
        writtenAtMs = performance.now();
        // The final event of an attempt is not the last one if it was retried since.
        if (event.exit && event.attempt === (await source.latestAttempt())) return;
      }
      if (events.length === PAGE) continue;
      const quietMs = performance.now() - writtenAtMs;
      if (quietMs >= intervals.heartbeatMs) {
        await write(': heartbeat\n\n');
        writtenAtMs = performance.now();
      }
      const untilHeartbeatMs = intervals.heartbeatMs - (performance.now() - writtenAtMs);
      await sleep(Math.max(1, Math.min(untilHeartbeatMs, intervals.pollMs)));
    }
  } finally {
    unsubscribe();
  }
}

/** An event without a worker message has no name: a browser gives it to listeners for `message`. */
function serverSentEvent(event: NumberedEvent): string {
  const name = event.message ? `event: ${event.message}\n` : '';
  return `id: ${event.seq}\n${name}data: ${JSON.stringify(event)}\n\n`;
}
