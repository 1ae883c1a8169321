import { Client } from 'pg';
import type { Logger } from 'pino';
import { startPollingLoop, type PollingLoop } from '../../timing/polling-loop.ts';
import { ASK_STANDBY, assertPrimary } from '../sql/standby.ts';
import { createChangeNotices, type ChangedKind } from './change-notices.ts';

/** Who is told of changes. */
export type ChangeListener = {
  changed(kind: ChangedKind, id: number): void;
  /** From here on it is told of every change; there may have been others before. */
  missed(): void;
};

/** Tells those who follow a build or a landing that it may have new events, and those who show rows of changes. */
export type ProgressFeed = {
  /**
   * Calls `wake` after each change of what is followed, and whenever one may have been missed.
   *
   * @returns ends the subscription
   */
  subscribe(kind: ChangedKind, id: number, wake: () => void): () => void;
  /**
   * Tells of every change of a ticket, a build or a landing once it is committed. `missed` is called first, and again
   * whenever the connection was lost.
   *
   * @returns ends the subscription
   */
  subscribeToChanges(listener: ChangeListener): () => void;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_BACKOFF_MS = 30_000;
/** The connection's name in `pg_stat_activity`. */
export const FEED_CONNECTION = 'airline feed';
/** Time for the answer to a poll: the connection can break silently. */
const POLL_TIMEOUT_MS = 5_000;

/**
 * Polls the notices of changes while somebody wants them, on one connection for the whole process, made at the first
 * subscription and made again whenever it is lost. An event of a build or a landing changes its row, too.
 *
 * @param changesMs pause between two polls of the notices
 * @param retryMs wait before the first try to connect again; later ones double it
 */
export function createProgressFeed(options: {
  databaseUrl: string;
  changesMs: number;
  retryMs: number;
  logger: Logger;
}): ProgressFeed {
  const subscribers = new Map<string, Set<() => void>>();
  const changeListeners = new Set<ChangeListener>();
  let isPolled = false;
  let loop: PollingLoop | undefined;

  const wakeAll = () => {
    for (const wakes of subscribers.values()) for (const wake of wakes) wake();
    for (const listener of changeListeners) listener.missed();
  };

  /** Polls the notices on a connection; whoever subscribes later has begun with the rows as they are then. */
  function changesOn(client: Client): { begin(): Promise<unknown>; tell(): Promise<void> } {
    const notices = createChangeNotices();
    let isPolling = false;
    return {
      begin: () => notices.poll(client),
      async tell() {
        if (isPolling || (changeListeners.size === 0 && subscribers.size === 0)) return;
        isPolling = true;
        const changes = await notices.poll(client);
        isPolling = false;
        if (!changes) return wakeAll();
        for (const { kind, id } of changes) {
          for (const wake of subscribers.get(keyOf(kind, id)) ?? []) wake();
          for (const listener of changeListeners) listener.changed(kind, id);
        }
      },
    };
  }

  /**
   * Polls until the connection ends or the signal aborts.
   *
   * @throws what kept it from polling at all
   */
  async function pollUntilLost(signal: AbortSignal): Promise<void> {
    const client = new Client({
      connectionString: options.databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: POLL_TIMEOUT_MS,
      application_name: FEED_CONNECTION,
    });
    const changes = changesOn(client);
    const finished = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      const ended = new Promise<void>((resolve, reject) => {
        client.once('end', resolve);
        client.on('error', reject);
        // The loop's signal outlives this connection, and must not keep what hangs on it.
        signal.addEventListener('abort', () => resolve(), { once: true, signal: finished.signal });
        timer = setInterval(() => {
          if (isPolled) changes.tell().catch(reject);
        }, options.changesMs);
      });
      ended.catch(() => {});
      await client.connect();
      assertPrimary(await client.query(ASK_STANDBY));
      await changes.begin();
      isPolled = true;
      // Nobody was told of what changed before.
      wakeAll();
      await ended.catch((error: unknown) => logLoss(error, options.retryMs));
    } finally {
      isPolled = false;
      finished.abort();
      clearInterval(timer);
      await client.end().catch(() => {});
    }
  }

  function logLoss(error: unknown, waitMs: number): void {
    options.logger.warn({ err: error, waitMs }, 'lost the connection that changes are read by');
  }

  function startPolling(): void {
    loop ??= startPollingLoop({
      intervalMs: options.retryMs,
      maxBackoffMs: MAX_BACKOFF_MS,
      poll: pollUntilLost,
      onError: (error, { waitMs }) => logLoss(error, waitMs),
    });
  }

  return {
    subscribe(kind, id, wake) {
      const key = keyOf(kind, id);
      const wakes = subscribers.get(key) ?? new Set();
      subscribers.set(key, wakes.add(wake));
      startPolling();
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0) subscribers.delete(key);
      };
    },
    subscribeToChanges(listener) {
      changeListeners.add(listener);
      if (isPolled) listener.missed();
      startPolling();
      return () => changeListeners.delete(listener);
    },
    async close() {
      await loop?.stop();
    },
  };
}

function keyOf(kind: ChangedKind, id: number): string {
  return `${kind} ${id}`;
}
