import { CommandError } from './command-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { createPaint, isColoured } from './paint.ts';
import { printable, printableLine } from './printable.ts';
import type { Surroundings } from './surroundings.ts';

/** Says on standard error what, why and what to do. @returns what to end with */
export function reportError(
  { stderr, environment }: Surroundings,
  error: unknown,
  options: { json: boolean; debug: boolean; color: boolean },
): ExitCode {
  const known = error instanceof CommandError ? error : unforeseen(error);
  const { code, exit, hint, details, message } = known;
  const write = (text: string) => stderr.write(`${text}\n`);
  if (options.json)
    write(JSON.stringify({ error: { code, message, hint: hint ?? null, details, exit } }));
  else {
    const paint = createPaint(isColoured(stderr, environment, options.color));
    write(`${paint('bad', 'airline:')} ${printableLine(message)}`);
    // The message of the API says the first of several already.
    const rest = details.length === 1 && message.startsWith(details[0] ?? '') ? [] : details;
    for (const detail of rest) write(`  ${printableLine(detail)}`);
    if (hint !== undefined) write(`  ${paint('faint', '→')} ${printable(hint)}`);
  }
  if (options.debug) write(stackOf(error));
  return exit;
}

function unforeseen(error: unknown): CommandError {
  return new CommandError(
    `Something unforeseen went wrong: ${error instanceof Error ? error.message : String(error)}`,
    {
      code: 'unforeseen',
      exit: EXIT.failed,
      hint: 'The same call with --debug says where; please report that.',
      cause: error,
    },
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\ncaused by: ${stackOf(error.cause)}`;
}
