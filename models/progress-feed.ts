import { Client } from 'pg';
import type { Logger } from 'pino';
import { startPollingLoop, type PollingLoop } from '../timing/polling-loop.ts';
import { PROGRESS_CHANNEL } from './append-event.ts';

/** The channel of PostgreSQL notifications that the triggers of tickets and builds send: `ticket 7`, `build 42`. */
const CHANGE_CHANNEL = 'airline_changes';
const CHANGE = /^(?<kind>ticket|build) (?<id>\d{1,10})$/;

/** What can change; what belongs to a ticket counts as the ticket. */
export type ChangedKind = 'ticket' | 'build';

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
   * Tells of every change of a ticket or a build once it is committed. `missed` is called first, and again whenever the
   * connection was lost.
   *
   * @returns ends the subscription
   */
  subscribeToChanges(listener: ChangeListener): () => void;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_BACKOFF_MS = 30_000;
/** How often the connection is tested: it can break silently. */
const LOOK_MS = 10_000;
const LOOK_TIMEOUT_MS = 5_000;
/** Said again it changes nothing, and asks for an answer. */
const LISTEN = `LISTEN ${PROGRESS_CHANNEL}; LISTEN ${CHANGE_CHANNEL}`;

/**
 * Listens to PostgreSQL's notifications of new events and of changes, on one connection for the whole process, made at
 * the first subscription and made again whenever it is lost.
 *
 * @param retryMs wait before the first try to connect again; later ones double it
 */
export function createProgressFeed(options: {
  databaseUrl: string;
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

  const tellChange = (payload = '') => {
    const { kind, id } = CHANGE.exec(payload)?.groups ?? {};
    if (kind === undefined) return;
    for (const listener of changeListeners) listener.changed(kind as ChangedKind, Number(id));
  };

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
    });
    let look: NodeJS.Timeout | undefined;
    try {
      const ended = new Promise<void>((resolve, reject) => {
        client.once('end', resolve);
        client.on('error', reject);
        signal.addEventListener('abort', () => resolve(), { once: true });
        look = setInterval(() => {
          client.query(LISTEN).catch(reject);
        }, LOOK_MS);
      });
      ended.catch(() => {});
      client.on('notification', ({ channel, payload }) => {
        if (channel === CHANGE_CHANNEL) tellChange(payload);
        else for (const wake of subscribers.get(Number(payload)) ?? []) wake();
      });
      await client.connect();
      await client.query(LISTEN);
      isListening = true;
      // Nobody heard what was announced before LISTEN.
      wakeAll();
      await ended.catch((error: unknown) => logLoss(error, options.retryMs));
    } finally {
      isListening = false;
      clearInterval(look);
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
