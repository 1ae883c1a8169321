import { backoffMs } from '../../timing/backoff.ts';
import type { CommandEnvironment } from '../environment.ts';
import { Interrupted } from '../command-error.ts';
import { unreachableError } from './response-errors.ts';

export type TransportLimits = {
  /** An answer takes no longer than this to start. */
  readonly answerMs: number;
  /** A request is sent at most this often. */
  readonly maxTries: number;
  /** Before the second try; it doubles from try to try. */
  readonly pauseMs: number;
  /** No pause is longer, whatever the server asks for. */
  readonly maxPauseMs: number;
};

export const DEFAULT_LIMITS: TransportLimits = {
  answerMs: 30_000,
  maxTries: 4,
  pauseMs: 300,
  maxPauseMs: 10_000,
};

/** How long and how often an answer is asked for. */
export type WaitOptions = {
  /** Ends it; its reason is thrown. */
  readonly signal?: AbortSignal;
  readonly maxTries?: number;
  /** An answer takes no longer than this to start. */
  readonly answerMs?: number;
};

/** A request besides its address. */
export type RequestOptions = WaitOptions & {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Another host than Airline's is read from, without the token: its redirects are followed. */
  readonly isElsewhere?: boolean;
  /** Makes the body anew for each try. */
  readonly body?: () => NonNullable<RequestInit['body']>;
};

/** Sends requests, and sends again what may succeed a moment later. */
export type Transport = {
  /** @throws CommandError where no try was answered, Interrupted, and the reason of the caller's signal */
  send: (url: URL, init: RequestInit, asked: RequestOptions) => Promise<Response>;
  /** Ctrl-C and the caller's signal come before whatever failed because of them. */
  throwIfEnded: (signal: AbortSignal | undefined) => void;
};

/**
 * Makes what sends requests.
 *
 * @param limits of a request that has none of its own
 * @param notice tells people that an answer takes more than one try
 */
export function createTransport(
  { fetch, sleep, interruption }: CommandEnvironment,
  limits: TransportLimits,
  notice: (text: string) => void,
): Transport {
  return { send, throwIfEnded };

  async function send(url: URL, init: RequestInit, asked: RequestOptions): Promise<Response> {
    const tries = asked.maxTries ?? limits.maxTries;
    for (let tried = 1; ; tried += 1) {
      const { response, error } = await sendOnce(url, init, asked);
      if (response && !isPassing(response)) return response;
      if (tried >= tries) {
        if (response) return response;
        throw error;
      }
      const pauseMs = pauseBefore(tried, response);
      await response?.body?.cancel();
      if (tried === 1)
        notice(
          `${response ? `The server is busy (HTTP ${response.status})` : `No answer from ${url.host}`}; trying again.`,
        );
      await sleep(pauseMs, interruption).catch(() => {
        throw new Interrupted();
      });
    }
  }

  async function sendOnce(
    url: URL,
    init: RequestInit,
    asked: RequestOptions,
  ): Promise<{ response?: Response; error?: unknown }> {
    const late = new AbortController();
    const answerMs = asked.answerMs ?? limits.answerMs;
    const timer = setTimeout(() => late.abort(), answerMs);
    const signals = [interruption, late.signal, ...(asked.signal ? [asked.signal] : [])];
    try {
      const body = asked.body?.();
      const response = await fetch(url, {
        ...init,
        ...(body === undefined ? {} : { body, duplex: 'half' }),
        // A redirect would take the token, or what is written, somewhere else.
        redirect: asked.isElsewhere === true ? 'follow' : 'manual',
        signal: AbortSignal.any(signals),
      });
      return { response };
    } catch (error) {
      throwIfEnded(asked.signal);
      const waitedMs = late.signal.aborted ? answerMs : undefined;
      return {
        error: unreachableError(url, error, { waitedMs, isElsewhere: asked.isElsewhere }),
      };
    } finally {
      clearTimeout(timer);
    }
  }

  function throwIfEnded(signal: AbortSignal | undefined): void {
    if (interruption.aborted) throw new Interrupted();
    signal?.throwIfAborted();
  }

  function pauseBefore(tried: number, response: Response | undefined): number {
    const askedMs = Number(response?.headers.get('retry-after') ?? 'NaN') * 1_000;
    if (Number.isFinite(askedMs)) return Math.min(askedMs, limits.maxPauseMs);
    return backoffMs(tried, { firstMs: limits.pauseMs, maxMs: limits.maxPauseMs });
  }
}

/** Answers that say that the same request may succeed in a moment. */
export function isPassing({ status, headers }: Response): boolean {
  if (status === 409) return headers.has('retry-after');
  return status === 429 || status === 502 || status === 503 || status === 504;
}
