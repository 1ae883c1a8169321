import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/**
 * Does something again and again, never twice at a time, as cron does at Launchpad. A round that fails is logged, and
 * the next one comes.
 *
 * @returns ends the rounds; the one that is under way is waited for
 */
export function startRounds(
  name: string,
  intervalMs: number,
  round: () => Promise<void>,
  logger: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async () => {
    while (!signal.aborted) {
      await round().catch((error: unknown) => logger.error({ err: error }, `${name} failed`));
      await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = loop();
  return () => {
    stopping.abort();
    return ended;
  };
}
