import { CommandError, Interrupted } from './command-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { createColour, isColoured } from './output/colours.ts';
import { printable, printableJson, printableLine } from '../domain/text/printable.ts';
import type { CommandEnvironment } from './environment.ts';

/** Says on standard error what, why and what to do. @returns what to end with */
export function reportError(
  { stderr, env, interruption }: Pick<CommandEnvironment, 'stderr' | 'env' | 'interruption'>,
  error: unknown,
  options: { json: boolean; debug: boolean; color: boolean },
): ExitCode {
  const known = error instanceof CommandError ? error : unforeseen(error);
  const { code, hint, details, message } = known;
  const exit = known.exit === EXIT.interrupted ? exitOf(interruption) : known.exit;
  const write = (text: string) => stderr.write(`${text}\n`);
  if (options.json)
    write(
      printableJson(
        JSON.stringify({ error: { code, message, hint: hint ?? null, details, exit } }),
      ),
    );
  else {
    const colour = createColour(isColoured(stderr, env, options.color));
    write(`${colour('bad', 'airline:')} ${printableLine(message)}`);
    // The message of the API says the first of several already.
    const otherDetails =
      details.length === 1 && message.startsWith(details[0] ?? '') ? [] : details;
    for (const detail of otherDetails) write(`  ${printableLine(detail)}`);
    if (hint !== undefined) write(`  ${colour('faint', '→')} ${printable(hint)}`);
  }
  if (options.debug) write(printable(stackOf(error)));
  return exit;
}

/** Another signal than Ctrl-C ends the command with a code of its own. */
function exitOf({ reason }: AbortSignal): ExitCode {
  return reason instanceof Interrupted ? reason.exit : EXIT.interrupted;
}

/** What standard output was to have is not all there. */
export function outputError({ code, message }: NodeJS.ErrnoException): CommandError {
  const why = code === undefined ? message : (WRITE_FAULTS[code] ?? code);
  return new CommandError(`Standard output cannot be written: ${why}.`, {
    code: 'output_failed',
    exit: EXIT.failed,
    hint: 'What was printed is not complete.',
  });
}

const WRITE_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the device fails',
};

function unforeseen(error: unknown): CommandError {
  return new CommandError(
    `Something unforeseen went wrong: ${error instanceof Error ? error.message : String(error)}`,
    {
      code: 'unforeseen',
      exit: EXIT.failed,
      hint: 'Run it again with --debug to see where, and please report it, unless the server is older than this command.',
      cause: error,
    },
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\ncaused by: ${stackOf(error.cause)}`;
}
