import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { PROGRESS_CHANNEL } from './progress-event.ts';

/** Tells who waits for a build's progress that there may be more of it. */
export type ProgressFeed = {
  /**
   * Calls `wake` after each new event of the build, and whenever one may have been missed.
   *
   * @returns ends the subscription
   */
  subscribe(buildId: number, wake: () => void): () => void;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5_000;
const MOST_BACKOFF_MS = 30_000;

/**
 * Listens to PostgreSQL's notifications of new events, on one connection for the whole process, made at the first
 * subscription and made again whenever it is lost.
 *
 * @param retryMs wait before the first try to connect again; later ones double it
 */
export function createProgressFeed(options: {
  databaseUrl: string;
  retryMs: number;
  logger: Logger;
}): ProgressFeed {
  const subscribers = new Map<number, Set<() => void>>();
  const closing = new AbortController();
  let listening: Promise<void> | undefined;

  const wakeAll = () => {
    for (const wakes of subscribers.values()) for (const wake of wakes) wake();
  };

  /** Listens until the connection ends; resolves with the error that ended it, if any. */
  async function listenOnce(onListening: () => void): Promise<void> {
    const client = new Client({
      connectionString: options.databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    try {
      const ended = new Promise<void>((resolve, reject) => {
        client.once('end', resolve);
        client.on('error', reject);
        closing.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      ended.catch(() => {});
      client.on('notification', ({ payload }) => {
        for (const wake of subscribers.get(Number(payload)) ?? []) wake();
      });
      await client.connect();
      await client.query(`LISTEN ${PROGRESS_CHANNEL}`);
      onListening();
      // What was announced before LISTEN went to nobody.
      wakeAll();
      await ended;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async function listen(): Promise<void> {
    let backoffMs = options.retryMs;
    while (!closing.signal.aborted) {
      try {
        await listenOnce(() => (backoffMs = options.retryMs));
      } catch (error) {
        options.logger.warn({ err: error, backoffMs }, 'lost the progress notifications');
      }
      await sleep(backoffMs, undefined, { signal: closing.signal }).catch(() => {});
      backoffMs = Math.min(backoffMs * 2, MOST_BACKOFF_MS);
    }
  }

  return {
    subscribe(buildId, wake) {
      const wakes = subscribers.get(buildId) ?? new Set();
      subscribers.set(buildId, wakes.add(wake));
      listening ??= listen();
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0) subscribers.delete(buildId);
      };
    },
    async close() {
      closing.abort();
      await listening;
    },
  };
}
