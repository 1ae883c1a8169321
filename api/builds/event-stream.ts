import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { ProgressMessage } from '../../domain/progress.ts';
import type { Database } from '../../models/database.ts';
import type { ProgressFeed } from '../../models/progress-feed.ts';
import { createWakeableSleep } from '../../timing/wakeable-sleep.ts';
import type { StreamIntervals } from '../dependencies.ts';

/** How many events one stream holds in memory; an event can be as large as a request. */
const PAGE = 20;

/**
 * Writes a build's events after `seq` as Server-Sent Events, as they come, until the latest attempt's final one is
 * written or the signal aborts. The table decides what is sent; a notification only says when to look.
 */
export async function streamEvents(
  {
    database,
    feed,
    intervals,
  }: { database: Database; feed: ProgressFeed; intervals: StreamIntervals },
  { buildId, after }: { buildId: number; after: number },
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const { sleep, wake } = createWakeableSleep(signal);
  const unsubscribe = feed.subscribe(buildId, wake);
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain', { signal });
  };
  try {
    let seq = after;
    let writtenAtMs = performance.now();
    while (!signal.aborted) {
      const events = await database.ProgressEvent.findAfter(buildId, seq, PAGE);
      for (const event of events) {
        await write(serverSentEvent(event));
        seq = event.seq;
        writtenAtMs = performance.now();
        if (event.exit && (await isLatestAttempt(database, event))) return;
      }
      // A page of large events has fewer than were asked for.
      if (events.length > 0) continue;
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

/** The final event of an attempt is not the last one if the build was retried since. */
async function isLatestAttempt(database: Database, event: ProgressMessage): Promise<boolean> {
  const build = await database.Build.findByPk(event.build_id, { attributes: ['attempt'] });
  return build?.attempt === event.attempt;
}

/** An event without a worker message has no name: a browser gives it to who listens for `message`. */
function serverSentEvent(event: ProgressMessage): string {
  const name = event.message === null ? '' : `event: ${event.message}\n`;
  return `id: ${event.seq}\n${name}data: ${JSON.stringify(event)}\n\n`;
}
