import { Option, type Command } from 'commander';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { parseId, parseTimeout } from '../../definition/argument-parsers.ts';
import { watchTicket } from '../../tickets/watch-ticket.ts';

/** Adds `airline ticket watch`. */
export function addTicketWatchCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('watch')
      .description('Follow the changes of a ticket until it is complete or has failed.')
      .argument('<ticket>', 'its id', parseId('ticket'))
      .option('--timeout <time>', 'watch no longer than this: 90s, 15m, 2h', parseTimeout)
      .addOption(
        new Option('--interval <time>', 'how often to ask the server')
          .argParser(parseTimeout)
          .default(2_000, '2s'),
      )
      .action(
        runner.remote(
          async (context, id: number, options: { timeout?: number; interval: number }) =>
            watchTicket(context, id, {
              timeoutMs: options.timeout,
              intervalMs: options.interval,
            }),
        ),
      ),
    {
      examples: [
        ['airline ticket watch 7 --timeout 2h', 'exits with 0 if it completes, with 1 if it fails'],
      ],
      json: 'every change on a line, as the history has it',
    },
  );
}
