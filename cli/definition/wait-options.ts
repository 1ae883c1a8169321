import type { Command } from 'commander';
import { parseTimeout } from './argument-parsers.ts';

/** The options of a command that can wait for the end of a build or a landing. */
export type WaitForEndOptions = { wait?: boolean; timeout?: number };

/**
 * Adds `--wait` and `--timeout`.
 *
 * @param until what `--wait` waits for
 */
export function addWaitOptions(command: Command, until: string): Command {
  return command
    .option('--wait', `wait until ${until}`)
    .option('--timeout <time>', 'wait no longer than this: 90s, 15m, 2h', parseTimeout);
}
