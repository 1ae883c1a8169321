import { Client } from 'pg';
import type { Logger } from 'pino';
import { startPollingLoop, type PollingLoop } from '../timing/polling-loop.ts';
import { PROGRESS_CHANNEL } from './append-event.ts';
import { createChangeNotices, type ChangedKind } from './change-notices.ts';

/** Who is told of changes. */
export type ChangeListener = {
  changed(kind: ChangedKind, id: number): void;
  /** From here on it is told of every change; there may have been others before. */
  missed(): void;
};

/** Tells those who follow a build that it may have new events, and those who show rows that the rows have changed. */
export type ProgressFeed = {
  /**
   * Calls `wake` after each new event of the build, and whenever one may have been missed.
   *
   * @returns ends the subscription
   */
  subscribe(buildId: number, wake: () => void): () => void;
  /**
   * Tells of every change of a ticket, a build or a landing once it is committed. `missed` is called first, and again whenever the
   * connection was lost.
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
/** How often the connection is tested: it can break silently. */
const LOOK_MS = 10_000;
const LOOK_TIMEOUT_MS = 5_000;
/** Said again it changes nothing, and asks for an answer. */
const LISTEN = `LISTEN ${PROGRESS_CHANNEL}`;

/**
 * Listens to PostgreSQL's notifications of new events, and polls the notices of changes while somebody wants them, on
 * one connection for the whole process, made at the first subscription and made again whenever it is lost.
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
  const subscribers = new Map<number, Set<() => void>>();
  const changeListeners = new Set<ChangeListener>();
  let isListening = false;
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
        if (isPolling || changeListeners.size === 0) return;
        isPolling = true;
        const changes = await notices.poll(client);
        isPolling = false;
        for (const listener of changeListeners)
          if (changes) for (const { kind, id } of changes) listener.changed(kind, id);
          else listener.missed();
      },
    };
  }

  /**
   * Listens until the connection ends or the signal aborts.
   *
   * @throws what kept it from listening at all
   */
  async function listenOnce(signal: AbortSignal): Promise<void> {
    const client = new Client({
      connectionString: options.databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: LOOK_TIMEOUT_MS,
      application_name: FEED_CONNECTION,
    });
    const changes = changesOn(client);
    const timers: NodeJS.Timeout[] = [];
    try {
      const ended = new Promise<void>((resolve, reject) => {
        client.once('end', resolve);
        client.on('error', reject);
        signal.addEventListener('abort', () => resolve(), { once: true });
        timers.push(
          setInterval(() => {
            client.query(LISTEN).catch(reject);
          }, LOOK_MS),
          setInterval(() => {
            if (isListening) changes.tell().catch(reject);
          }, options.changesMs),
        );
      });
      ended.catch(() => {});
      client.on('notification', ({ payload }) => {
        for (const wake of subscribers.get(Number(payload)) ?? []) wake();
      });
      await client.connect();
      await client.query(LISTEN);
      await changes.begin();
      isListening = true;
      // Nobody heard what was announced before.
      wakeAll();
      await ended.catch((error: unknown) => logLoss(error, options.retryMs));
    } finally {
      isListening = false;
      for (const timer of timers) clearInterval(timer);
      await client.end().catch(() => {});
    }
  }

  function logLoss(error: unknown, waitMs: number): void {
    options.logger.warn({ err: error, waitMs }, 'lost the progress notifications');
  }

  function startListening(): void {
    loop ??= startPollingLoop({
      intervalMs: options.retryMs,
      maxBackoffMs: MAX_BACKOFF_MS,
      poll: listenOnce,
      onError: (error, { waitMs }) => logLoss(error, waitMs),
    });
  }

  return {
    subscribe(buildId, wake) {
      const wakes = subscribers.get(buildId) ?? new Set();
      subscribers.set(buildId, wakes.add(wake));
      startListening();
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0) subscribers.delete(buildId);
      };
    },
    subscribeToChanges(listener) {
      changeListeners.add(listener);
      if (isListening) listener.missed();
      startListening();
      return () => changeListeners.delete(listener);
    },
    async close() {
      await loop?.stop();
    },
  };
}
