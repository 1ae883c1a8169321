import type { Command } from 'commander';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { parseCount, parseId, parseTimeout } from '../../definition/argument-parsers.ts';
import { watchBuild } from '../../builds/watch-build.ts';

/** Adds `airline build watch`. */
export function addBuildWatchCommand(build: Command, runner: Runner): void {
  describeCommand(
    build
      .command('watch')
      .description('Follow a build until it ends. A lost connection is restored.')
      .argument('<build>', 'its id', parseId('build'))
      .option('--after <seq>', 'begin after this event', parseCount, 0)
      .option('--timeout <time>', 'watch no longer than this: 90s, 15m, 2h', parseTimeout)
      .action(
        runner.remote(async (context, id: number, options: { after: number; timeout?: number }) =>
          watchBuild(context, id, { after: options.after, timeoutMs: options.timeout }),
        ),
      ),
    {
      examples: [
        ['airline build watch 12', 'wait until it has ended'],
        ['airline build watch 12 --timeout 30m && echo built', 'exits with 0 only if it was built'],
      ],
      notes: ['It prints only what is new. `airline build events --follow` prints every event.'],
      json: 'every event on a line, as the progress queue has it',
    },
  );
}
