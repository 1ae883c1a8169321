import { effect, signal } from '@preact/signals';
import { isAwaited, isVisible } from './page-visibility.ts';
import { retryPauses } from './retry-pauses.ts';

/** Ids of what has changed. */
export type Change = { ticket: number[]; build: number[]; landing: number[] };
/** What `ready` and `heartbeat` say: how soon the next event comes at the latest. An older API promises none. */
type Alive = { heartbeat_ms?: number };
type Listener = (change: Change | 'anything') => void;

const RETRY_FIRST_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** A stream that has said nothing yet for so long is not answered: an API sends its first heartbeat by then. */
const FIRST_SILENCE_MS = 30_000;
/** So many heartbeats in a row are missed only where nothing comes any more. */
const MISSED_HEARTBEATS = 3;
/** The API ends each stream after a while, and is there for the next one: nobody needs to hear of a gap this short. */
const GRACE_MS = 3_000;
/**
 * So often a page loads again what may have changed where no stream tells: all that it shows, or, while it is not seen,
 * what it awaits. The browser may make the latter once a minute.
 */
const POLL_MS = 15_000;

/**
 * How the page hears of changes: not yet, at once, not at all while Airline does not answer, or, where it answers and
 * refuses the stream, as they are found now and then.
 */
export const connection = signal<'connecting' | 'live' | 'lost' | 'polling'>('connecting');

/**
 * Counts the times that nothing was told any more, or still is not. A stream does not say why it failed: another
 * request finds out whether Airline answers.
 */
export const vainTries = signal(0);

const listeners = new Set<Listener>();
let source: EventSource | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let graceTimer: ReturnType<typeof setTimeout> | undefined;
let silenceTimer: ReturnType<typeof setTimeout> | undefined;
const pauses = retryPauses(RETRY_FIRST_MS, MAX_RETRY_MS);
let hasFailed = false;

/** Until so long after the page was opened, what it loads waits until its changes are told: then it is loaded once. */
const PATIENCE_MS = 1_000;
const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
let resolveTold: () => void = () => {};
const told = new Promise<void>((resolve) => {
  resolveTold = resolve;
});

/** Ends once changes are told, or cannot be for now: what is loaded after it need not be loaded again. */
export function untilFollowed(): Promise<void> {
  return Promise.race([told, patience]);
}

/** Tells of each change from now on. Of what changed before it could be told, it says `anything`. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Keeps a stream of changes open while the page is seen. A page that awaits something unseen loads it now and then:
 * over HTTP/1.1 a browser has six connections for all tabs, and streams of those in the back would leave none.
 *
 * @returns what ends it
 */
export function followChanges(): () => void {
  let polling: ReturnType<typeof setInterval> | undefined;
  const stopEffect = effect(() => {
    clearInterval(polling);
    if (isVisible.value) {
      connect();
      return;
    }
    endGrace();
    disconnect();
    // When it is seen again, what changed meanwhile is not told yet.
    if (connection.peek() === 'live') connection.value = 'connecting';
    hasFailed = false;
    if (isAwaited.value) polling = setInterval(loadAnew, POLL_MS);
  });
  const stopPolling = effect(() => {
    if (connection.value !== 'polling' || !isVisible.value) return undefined;
    const timer = setInterval(loadAnew, POLL_MS);
    return () => clearInterval(timer);
  });
  const retryNow = () => {
    if (isVisible.peek() && connection.peek() === 'lost') connect();
  };
  addEventListener('online', retryNow);
  // A stream may take minutes to find that the network is gone.
  addEventListener('offline', reportOffline);
  return () => {
    removeEventListener('online', retryNow);
    removeEventListener('offline', reportOffline);
    stopEffect();
    stopPolling();
    clearInterval(polling);
    endGrace();
    disconnect();
    connection.value = 'connecting';
    hasFailed = false;
  };
}

/** Somebody found that Airline does not answer: the stream may not know yet. */
export function reportOffline(): void {
  resolveTold();
  if (connection.peek() === 'lost') return;
  pauses.reset();
  connectionLost();
}

/** Somebody found that Airline answers: where no stream is to be had, it refuses it. */
export function reportAnswered(): void {
  const state = connection.peek();
  if (state !== 'lost' && !(state === 'connecting' && hasFailed)) return;
  connection.value = 'polling';
  resolveTold();
}

function connect(): void {
  disconnect();
  const opened = new EventSource('/api/v1/changes/');
  source = opened;
  let silenceMs: number | undefined = FIRST_SILENCE_MS;
  // A connection can end silently: then no error ever comes.
  const awaitEvent = () => {
    clearTimeout(silenceTimer);
    if (silenceMs !== undefined) silenceTimer = setTimeout(streamFailed, silenceMs);
  };
  const heedInterval = (event: Event) => {
    const { heartbeat_ms: heartbeatMs } = dataOf(event) as Alive;
    silenceMs = heartbeatMs && MISSED_HEARTBEATS * heartbeatMs;
    awaitEvent();
  };
  awaitEvent();
  opened.addEventListener('ready', (event) => {
    heedInterval(event);
    endGrace();
    pauses.reset();
    connection.value = 'live';
    tell('anything');
    resolveTold();
  });
  opened.addEventListener('heartbeat', heedInterval);
  opened.addEventListener('change', (event) => {
    awaitEvent();
    tell(dataOf(event) as Change);
  });
  opened.addEventListener('error', streamFailed);
}

function dataOf(event: Event): unknown {
  return JSON.parse((event as MessageEvent<string>).data);
}

function streamFailed(): void {
  // The first time it may be that nobody has signed in yet, which the session tells.
  const isFirst = connection.peek() === 'connecting' && !hasFailed;
  hasFailed = true;
  if (connection.peek() === 'live') bridgeGap();
  else if (isFirst || connection.peek() === 'polling') tryInVain();
  else connectionLost();
}

/** Connects anew at once. Only where that takes longer, the page says that Airline does not answer. */
function bridgeGap(): void {
  if (graceTimer !== undefined) {
    tryAgain();
    return;
  }
  graceTimer = setTimeout(() => {
    endGrace();
    // Whatever tries to connect by now goes on.
    connection.value = 'lost';
    vainTries.value++;
  }, GRACE_MS);
  connect();
}

function endGrace(): void {
  clearTimeout(graceTimer);
  graceTimer = undefined;
}

/** An EventSource tries again by itself after some faults and not after others: here it is done one way. */
function connectionLost(): void {
  endGrace();
  connection.value = 'lost';
  tryInVain();
}

function tryInVain(): void {
  tryAgain();
  vainTries.value++;
}

function tryAgain(): void {
  disconnect();
  if (!isVisible.peek()) return;
  retryTimer = setTimeout(connect, pauses.next());
}

function disconnect(): void {
  clearTimeout(retryTimer);
  clearTimeout(silenceTimer);
  source?.close();
  source = undefined;
}

/** Has all that the page shows loaded again. */
export function loadAnew(): void {
  tell('anything');
}

function tell(change: Change | 'anything'): void {
  for (const listener of listeners) listener(change);
}
