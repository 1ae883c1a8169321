import { Option, type Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { parseCount, parseId, parseTimeout } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { watchLanding } from '../../landings/watch-landing.ts';

type WatchOptions = { after: number; timeout?: number; interval: number };

/** Adds `airline landing watch`. */
export function addLandingWatchCommand(landing: Command, runner: Runner): void {
  describeCommand(
    landing
      .command('watch')
      .description('Follow a landing until it ends. A lost connection is restored.')
      .argument('<landing>', 'its id', parseId('landing'))
      .option('--after <seq>', 'begin after this event', parseCount, 0)
      .option('--timeout <time>', 'watch no longer than this: 90s, 15m, 2h', parseTimeout)
      .addOption(
        new Option('--interval <time>', 'how often to ask the server')
          .argParser(parseTimeout)
          .default(2_000, '2s'),
      )
      .action(
        runner.remote(async (context, id: number, { after, timeout, interval }: WatchOptions) =>
          watchLanding(context, id, { after, timeoutMs: timeout, intervalMs: interval }),
        ),
      ),
    {
      examples: [
        ['airline landing watch 7', 'wait until it has ended'],
        [
          'airline landing watch 7 --timeout 2h && echo landed',
          'exits with 0 only if everything is published',
        ],
      ],
      notes: [
        'Where the landing waits for a person, it says which command decides, and goes on waiting.',
      ],
      json: 'every event on a line, as the API has it',
    },
  );
}
