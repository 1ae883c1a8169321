import { createParser } from 'eventsource-parser';
import type { ProgressMessage } from '../api/contract.ts';
import { CommandError, Interrupted } from './command-error.ts';
import { EXIT } from './exit-code.ts';
import type { Rest } from './rest.ts';
import type { Surroundings } from './surroundings.ts';

export type FollowLimits = {
  /** A connection that brings nothing for so long, not even a heartbeat, is taken for dead. */
  readonly silentMs: number;
  /** Before the first return; it doubles with each that fails. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Returns that fail, one after the other, before it is given up. */
  readonly tries: number;
};

/** About a quarter of an hour without a server: a restart, a walk with a closed laptop, an hour in its sleep. */
const FOLLOW_LIMITS: FollowLimits = {
  silentMs: 60_000,
  pauseMs: 500,
  longestPauseMs: 15_000,
  tries: 64,
};

/** Once the final event is here, a server that has gone is not waited for. */
const TRIES_AFTER_THE_END = 2;

/** The connection ended, or is of no use any more. */
class Cut extends Error {}

/**
 * The events of a build from the one after `after`, as they come, until the latest attempt has ended: each once and in
 * order, over as many connections as it takes. Every return asks for what follows the last event that was given.
 *
 * @param options.notice is told when a connection is lost and when another goes on
 * @param options.signal ends it; its reason is thrown
 * @throws CommandError `unreachable` after the last try; what the API refuses at once
 */
export async function* followEvents(
  { rest, surroundings }: { rest: Rest; surroundings: Surroundings },
  options: {
    buildId: number;
    after: number;
    notice: (text: string) => void;
    signal: AbortSignal;
    limits?: FollowLimits;
  },
): AsyncGenerator<ProgressMessage, void, void> {
  const { buildId, notice, signal, limits = FOLLOW_LIMITS } = options;
  let seq = options.after;
  let failed = 0;
  let isLost = false;
  let hasEnded = false;
  for (;;) {
    try {
      const response = await rest.open(`/api/v1/build/${buildId}/events/`, {
        headers: {
          accept: 'text/event-stream, application/problem+json',
          'last-event-id': `${seq}`,
        },
        signal,
        tries: 1,
      });
      if (response.status === 204) return;
      if (isLost) notice(`Connected again; going on after event ${seq}.`);
      isLost = false;
      const alive = () => (failed = 0);
      for await (const event of readStream(response, {
        silentMs: limits.silentMs,
        signal,
        alive,
      })) {
        if (event.seq <= seq) continue;
        if (event.seq > seq + 1) throw new Cut(`event ${seq + 1} is missing`);
        seq = event.seq;
        hasEnded = event.exit === true;
        yield event;
      }
      // The server ends a stream after the last event, and when it stops itself: the answer to the next call tells.
      if (hasEnded && failed === 0) {
        failed += 1;
        continue;
      }
      throw new Cut('the server ended it');
    } catch (error) {
      if (surroundings.interruption.aborted) throw new Interrupted();
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      failed += 1;
      if (hasEnded && failed > TRIES_AFTER_THE_END) return;
      if (failed > limits.tries) throw error instanceof Cut ? givenUp(error) : error;
      if (!isLost && !hasEnded)
        notice(`Lost the connection after event ${seq} (${reasonOf(error)}); trying again.`);
      isLost = !hasEnded;
      const pauseMs = Math.min(limits.pauseMs * 2 ** (failed - 1), limits.longestPauseMs);
      await surroundings
        .sleep(pauseMs, AbortSignal.any([signal, surroundings.interruption]))
        .catch(() => undefined);
    }
  }
}

async function* readStream(
  response: Response,
  { silentMs, signal, alive }: { silentMs: number; signal: AbortSignal; alive: () => void },
): AsyncGenerator<ProgressMessage> {
  const reader = response.body?.getReader();
  if (!reader) throw new Cut('the answer is empty');
  const decoder = new TextDecoder();
  let events: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      events.push(data);
    },
  });
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), silentMs);
      signal.throwIfAborted();
      if (done) return;
      alive();
      parser.feed(decoder.decode(value, { stream: true }));
      const come = events;
      events = [];
      for (const data of come) yield parseEvent(data);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(data: string): ProgressMessage {
  try {
    return JSON.parse(data) as ProgressMessage;
  } catch (cause) {
    throw new Cut('an event is no JSON', { cause });
  }
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Cut(`nothing came for ${limitMs / 1_000} s`)), limitMs);
      }),
    ]);
  } catch (error) {
    throw error instanceof Cut ? error : new Cut((error as Error).message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Cut || (error instanceof CommandError && error.exit === EXIT.unreachable);
}

function reasonOf(error: unknown): string {
  return (error as Error).message.replace(/\.$/, '');
}

function givenUp(cause: Cut): CommandError {
  return new CommandError(`The events cannot be followed: ${cause.message}.`, {
    code: 'unreachable',
    exit: EXIT.unreachable,
    hint: 'Is Airline running? The same command shows every event from the first.',
    cause,
  });
}
