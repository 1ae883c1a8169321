import { CommandError, Interrupted } from '../command-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { reportError } from '../report-error.ts';

/**
 * Does something with each of several builds, in their order. What one of them refuses is reported as an error, and the
 * next one has its turn.
 *
 * @returns the first exit code that is not `done`
 * @throws CommandError of the only build; at Ctrl-C, and where the server is away, at once
 */
export async function eachBuild(
  { environment, globals, out }: CommandContext,
  ids: readonly number[],
  run: (id: number) => Promise<ExitCode | undefined>,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  for (const id of new Set(ids)) {
    try {
      const ended = (await run(id)) ?? EXIT.done;
      if (code === EXIT.done) code = ended;
    } catch (error) {
      if (ids.length === 1 || !(error instanceof CommandError)) throw error;
      if (error instanceof Interrupted || error.exit === EXIT.unreachable) throw error;
      const exit = reportError(environment, ofBuild(id, error), {
        json: out.form === 'json',
        debug: globals.debug === true,
        color: globals.color,
      });
      if (code === EXIT.done) code = exit;
    }
  }
  return code;
}

/** The error with the build that it is of, where it does not say so itself. */
function ofBuild(id: number, error: CommandError): CommandError {
  const { message, code, exit, hint, details } = error;
  if (new RegExp(`\\b${id}\\b`).test(message)) return error;
  return new CommandError(`Build ${id}: ${message}`, { code, exit, hint, details, cause: error });
}
