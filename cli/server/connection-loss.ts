import { CommandError, Interrupted, retold } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandContext } from '../command-context.ts';
import { backoffMs } from '../../timing/backoff.ts';
import type { ApiClient } from './api-client.ts';

/** A restart, or a walk with a laptop. */
const MAX_OUTAGE_MS = 15 * 60_000;
/** If two tries are further apart, the machine slept between them: that does not count as waiting. */
const MAX_TRY_MS = 60_000;
/** Of a server that has not answered yet: its address may be wrong. */
const MAX_FIRST_TRIES = 4;
/** Before the second try. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/** The outages of a server that a command follows. */
export type ConnectionMonitor = {
  /**
   * Counts a try that failed. The first one of an outage is told.
   *
   * @returns how long to pause before the next one, in milliseconds; undefined if there were enough
   */
  readonly lost: (error: Error) => number | undefined;
  /** The server answers; if it did not before, the user is told. */
  readonly restored: () => void;
};

/**
 * Keeps count of the outages of a server.
 *
 * @param options.place how far the command has followed: `event 7`
 */
export function createConnectionMonitor(
  { api, out, environment }: Pick<CommandContext, 'api' | 'out' | 'environment'>,
  { place }: { place: () => string },
): ConnectionMonitor {
  let failures = 0;
  let lastMs = 0;
  let outageMs = 0;
  return {
    lost({ message }) {
      const nowMs = environment.now().getTime();
      outageMs += failures === 0 ? 0 : Math.min(nowMs - lastMs, MAX_TRY_MS);
      lastMs = nowMs;
      failures += 1;
      const isKnown = api.hasAnswered();
      if (isKnown ? outageMs >= MAX_OUTAGE_MS : failures >= MAX_FIRST_TRIES) return undefined;
      if (failures === 1)
        out.notice(
          isKnown
            ? `Lost the connection after ${place()} (${message.replace(/\.$/, '')}); trying again.`
            : `${message} Trying again.`,
        );
      return backoffMs(failures, { firstMs: PAUSE_MS, maxMs: MAX_PAUSE_MS });
    },
    restored() {
      if (failures > 0) out.notice(`Connected again; going on after ${place()}.`);
      failures = 0;
      outageMs = 0;
    },
  };
}

/**
 * Whether an error may pass by itself. What does not answer as Airline does is a proxy or a sign-in page where Airline
 * has answered before, and a wrong address where it has not.
 */
export function isConnectionLoss(api: ApiClient, error: unknown): error is CommandError {
  return (
    error instanceof CommandError &&
    error.exit === EXIT.unreachable &&
    (error.code !== 'not_airline' || api.hasAnswered())
  );
}

/**
 * Whether what was asked for may have been done, although no answer says so: it did not come, or was not waited for.
 */
export function isUnanswered({ exit, code }: CommandError): boolean {
  if (code === 'rate_limited') return false;
  // An earlier try of the same call is still being answered.
  if (code === 'request_in_flight') return true;
  return exit === EXIT.unreachable || exit === EXIT.interrupted;
}

/**
 * What is told where something may or may not be made: the same call again would make a second one. What says that it
 * is not is told as it is.
 *
 * @param made `the build was requested`
 * @param next what shows whether it was, and what to do then
 */
export function unansweredError(error: unknown, made: string, next: string): unknown {
  if (!(error instanceof CommandError) || !isUnanswered(error)) return error;
  return retold(error, {
    message: `It is not known whether ${made}: ${error.message}`,
    next,
  });
}

/** What ended a watch before its time, with how to come back to it; an error of another kind as it is. */
export function withResumeHint(api: ApiClient, error: unknown, resumeHint: string): unknown {
  if (error instanceof Interrupted) return new Interrupted(resumeHint);
  // Of a server that never answered nothing is known.
  if (!(error instanceof CommandError) || error.exit !== EXIT.unreachable || !api.hasAnswered())
    return error;
  const { message, code, exit, details, hint } = error;
  return new CommandError(message, {
    code,
    exit,
    details,
    hint: hint === undefined ? resumeHint : `${hint}\n  → ${resumeHint}`,
    cause: error,
  });
}
