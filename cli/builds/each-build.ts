import { CommandError, Interrupted, retold } from '../command-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { reportError } from '../report-error.ts';
import { isUnanswered } from '../server/connection-loss.ts';

/**
 * Waits for the end of a build that was asked for something. It may end the command with `timed_out`, and then says how
 * to come back to the build.
 *
 * @param waitedMs for how long the command has waited for other builds, in milliseconds
 */
export type Wait = (waitedMs: number) => Promise<ExitCode>;

/** What holds for a command of several builds. */
export const EACH_BUILD_NOTE =
  'With `--wait`, all builds are asked before the first is waited for. `--timeout` is for all of them together.';

/**
 * Asks something of each of several builds, in their order; then waits for one after the other, where `ask` gives a
 * wait. What one of them refuses is reported as an error, and the next one has its turn.
 *
 * @returns the first exit code that is not `done`
 * @throws CommandError of the only build; at once at Ctrl-C, where the server is away, and where the time is over. Of
 * several, it then says which were not asked, or are not waited for
 */
export async function eachBuild(
  { environment, globals, out }: CommandContext,
  given: readonly number[],
  ask: (id: number) => Promise<Wait | undefined>,
): Promise<ExitCode> {
  const ids = [...new Set(given)];
  let code: ExitCode = EXIT.done;
  /** @param left what the other builds are left with, where an error ends the command */
  const tryOne = async (
    id: number,
    run: () => Promise<ExitCode>,
    left: (error: CommandError) => string | undefined,
  ) => {
    let ended: ExitCode;
    try {
      ended = await run();
    } catch (error) {
      if (ids.length === 1 || !(error instanceof CommandError)) throw error;
      if (endsAll(error)) {
        const next = left(error);
        throw next === undefined ? error : retold(error, { message: error.message, next });
      }
      ended = reportError(environment, ofBuild(id, error), {
        json: out.form === 'json',
        debug: globals.debug === true,
        color: globals.color,
      });
    }
    if (code === EXIT.done) code = ended;
  };

  const waits: { id: number; wait: Wait }[] = [];
  for (const [index, id] of ids.entries())
    await tryOne(
      id,
      async () => {
        const wait = await ask(id);
        if (wait) waits.push({ id, wait });
        return EXIT.done;
      },
      (error) => notAsked(ids.slice(index), error),
    );

  const startedMs = environment.now().getTime();
  for (const [index, { id, wait }] of waits.entries()) {
    if (ids.length > 1) out.remark(`\nBuild ${id}`);
    await tryOne(
      id,
      () => wait(environment.now().getTime() - startedMs),
      () => notWaitedFor(waits.slice(index + 1)),
    );
  }
  return code;
}

/** Whether an error is none of one build alone. */
function endsAll(error: CommandError): boolean {
  return (
    error instanceof Interrupted || error.exit === EXIT.unreachable || error.exit === EXIT.timedOut
  );
}

/** @param ids the build that was being asked, and those after it */
function notAsked(ids: readonly number[], error: CommandError): string {
  if (!isUnanswered(error)) return `Not asked: ${ids.join(', ')}.`;
  const [id, ...rest] = ids;
  const unknown = `It is not known whether build ${id} was asked.`;
  return rest.length === 0 ? unknown : `${unknown} Not asked: ${rest.join(', ')}.`;
}

/** @param rest those after the one that was waited for, of which the error says how to come back to it */
function notWaitedFor(rest: readonly { id: number }[]): string | undefined {
  if (rest.length === 0) return undefined;
  return `The same is true of each of these that has not ended: ${rest.map(({ id }) => id).join(', ')}.`;
}

/** The error with the build that it is of, where it does not say so itself. */
function ofBuild(id: number, error: CommandError): CommandError {
  const { message, code, exit, hint, details } = error;
  if (new RegExp(`\\b${id}\\b`).test(message)) return error;
  return new CommandError(`Build ${id}: ${message}`, { code, exit, hint, details, cause: error });
}
