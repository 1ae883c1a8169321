import { CommandError, Interrupted, retold } from '../command-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { reportError } from '../report-error.ts';
import { isUnanswered } from '../server/connection-loss.ts';
import { lastEventNumber } from './watch-build.ts';

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
 * @param ask gets the number of the build's last event, where it is waited for
 * @returns the first exit code that is not `done`
 * @throws CommandError of the only build; at once at Ctrl-C, where the server is away, and where the time is over. Of
 * several, it then says which were not asked, or are not waited for
 */
export async function eachBuild(
  context: CommandContext,
  given: readonly number[],
  { wait = false }: { wait?: boolean },
  ask: (id: number, after: number) => Promise<Wait | undefined>,
): Promise<ExitCode> {
  const { environment, globals, out } = context;
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

  const waits: { id: number; waitForEnd: Wait }[] = [];
  for (const [index, id] of ids.entries()) {
    let isBegun = false;
    await tryOne(
      id,
      async () => {
        const after = wait ? await lastEventNumber(context, id) : 0;
        isBegun = true;
        const waitForEnd = await ask(id, after);
        if (waitForEnd) waits.push({ id, waitForEnd });
        return EXIT.done;
      },
      (error) =>
        [
          notAsked(ids.slice(index), isBegun && isUnanswered(error)),
          ...(waits.length === 0 ? [] : [`Not waited for: ${idsOf(waits)}.`]),
        ].join(' '),
    );
  }

  const startedMs = environment.now().getTime();
  for (const [index, { id, waitForEnd }] of waits.entries()) {
    if (ids.length > 1) out.remark(`\nBuild ${id}`);
    await tryOne(
      id,
      () => waitForEnd(environment.now().getTime() - startedMs),
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

/**
 * @param ids the build whose turn it was, and those after it
 * @param isUnknown that build may have been asked
 */
function notAsked(ids: readonly number[], isUnknown: boolean): string {
  if (!isUnknown) return `Not asked: ${ids.join(', ')}.`;
  const [id, ...rest] = ids;
  const unknown = `It is not known whether build ${id} was asked.`;
  return rest.length === 0 ? unknown : `${unknown} Not asked: ${rest.join(', ')}.`;
}

/** @param rest those after the one that was waited for, of which the error says how to come back to it */
function notWaitedFor(rest: readonly { id: number }[]): string | undefined {
  if (rest.length === 0) return undefined;
  return `The same is true of each of these that has not ended: ${idsOf(rest)}.`;
}

function idsOf(builds: readonly { id: number }[]): string {
  return builds.map(({ id }) => id).join(', ');
}

/** The error with the build that it is of, where it does not say so itself. */
function ofBuild(id: number, error: CommandError): CommandError {
  const { message, code, exit, hint, details } = error;
  if (new RegExp(`\\b${id}\\b`).test(message)) return error;
  return new CommandError(`Build ${id}: ${message}`, { code, exit, hint, details, cause: error });
}
