import type { Command } from 'commander';
import { usageError } from '../command-error.ts';
import { parseTimeout } from './argument-parsers.ts';

/** The options of a command that can wait for the end of a build or a landing. */
export type WaitForEndOptions = { wait?: boolean; timeout?: number };

/**
 * Adds `--wait` and `--timeout`.
 *
 * @param until what `--wait` waits for
 */
export function addWaitOptions(command: Command, until: string): Command {
  return addTimeoutOption(command.option('--wait', `wait until ${until}`), 'wait');
}

/**
 * Adds `--timeout` to a command that waits only where another of its options is given.
 *
 * @param waiting the name of that option: without it, a call with `--timeout` is a wrong one
 */
export function addTimeoutOption(command: Command, waiting: 'wait' | 'follow'): Command {
  return command
    .option('--timeout <time>', `${waiting} no longer than this: 90s, 15m, 2h`, parseTimeout)
    .hook('preAction', () => {
      const given = command.opts<{ wait?: boolean; follow?: boolean; timeout?: number }>();
      // Who asks for a limit takes the end of the call for the end of the build.
      if (given.timeout !== undefined && given[waiting] !== true)
        throw usageError(
          `--timeout limits --${waiting}, which is not given.`,
          `Add --${waiting}, or leave --timeout out.`,
        );
    });
}
