import type { CommandContext } from '../command-context.ts';
import { createConnectionMonitor, isConnectionLoss, withResumeHint } from './connection-loss.ts';
import { startDeadline } from './deadline.ts';
import type { WaitOptions } from './transport.ts';

/** One poll of what is followed. */
type Poll = {
  /** For each request of the poll: it is tried once, and ends with the deadline. */
  readonly once: WaitOptions;
  /** To be called once what came tells that the server is there. */
  readonly restored: () => void;
};

/**
 * Polls something until there is a result. Outages are waited out, and told once.
 *
 * @param options.place how far the command has followed: `event 7`
 * @param options.resumeHint how to come back, for whatever ends it before its time
 * @throws CommandError `timed_out`, `interrupted`, `unreachable` after an outage that did not pass
 */
export async function pollUntil<T>(
  context: CommandContext,
  options: {
    intervalMs: number;
    timeoutMs: number | undefined;
    place: () => string;
    resumeHint: string;
  },
  poll: (given: Poll) => Promise<T | undefined>,
): Promise<T> {
  const { api, environment } = context;
  const { intervalMs, timeoutMs, place, resumeHint } = options;
  const deadline = startDeadline(timeoutMs, resumeHint);
  const once = { signal: deadline.signal, maxTries: 1 };
  const { lost, restored } = createConnectionMonitor(context, { place });
  try {
    for (;;) {
      let pauseMs: number | undefined = intervalMs;
      try {
        const result = await poll({ once, restored });
        if (result !== undefined) return result;
      } catch (error) {
        pauseMs = isConnectionLoss(api, error) ? lost(error) : undefined;
        if (pauseMs === undefined) throw withResumeHint(api, error, resumeHint);
      }
      // What ends the pause ends the next poll, too.
      await environment
        .sleep(pauseMs, AbortSignal.any([environment.interruption, deadline.signal]))
        .catch(() => undefined);
    }
  } finally {
    deadline.clear();
  }
}
