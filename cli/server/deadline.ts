import { durationText } from '../../domain/text/quantity-text.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';

/** A signal that aborts after so many milliseconds with an error that ends the command with 7. */
export type Deadline = { readonly signal: AbortSignal; readonly clear: () => void };

/**
 * Starts a deadline. `clear` ends it, else its timer holds the process.
 *
 * @param limitMs in milliseconds; undefined: never
 * @param hint what the error says to do
 * @param passedMs how much of the limit has passed, in milliseconds
 */
export function startDeadline(limitMs: number | undefined, hint: string, passedMs = 0): Deadline {
  const controller = new AbortController();
  if (limitMs === undefined) return { signal: controller.signal, clear: () => undefined };
  const timer = setTimeout(
    () => {
      const message = `Not finished within ${durationText(limitMs)}.`;
      controller.abort(new CommandError(message, { code: 'timed_out', exit: EXIT.timedOut, hint }));
    },
    Math.max(0, limitMs - passedMs),
  );
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
