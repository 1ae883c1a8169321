import { CommandError, Interrupted } from '../command-error.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';

/**
 * Does something with each of several builds, in their order. What one of them refuses is told, and the next one has its
 * turn.
 *
 * @returns the first exit code that is not `done`
 * @throws CommandError of the only build; at Ctrl-C, and where the server is away, at once
 */
export async function eachBuild(
  { out }: CommandContext,
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
      out.notice(error.message.includes(`${id}`) ? error.message : `Build ${id}: ${error.message}`);
      if (code === EXIT.done) code = error.exit;
    }
  }
  return code;
}
