import { type Command } from 'commander';
import type { Ticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { openPage } from '../../output/open-page.ts';
import { parseId } from '../../definition/argument-parsers.ts';

/** Adds `airline ticket open`. */
export function addTicketOpenCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('open')
      .description(
        "Open a ticket's page in the browser, or print its address if there is no browser.",
      )
      .argument('<ticket>', 'its id', parseId('ticket'))
      .action(
        runner.remote(async (context, id: number) => {
          await context.api.get<Ticket>(`/api/v1/ticket/${id}/`);
          await openPage(context, `/ticket/${id}`);
          return undefined;
        }),
      ),
    {
      examples: [['airline ticket open 7', 'look at it in the browser']],
      json: '{"url"}',
      quiet: 'the address, without opening it',
    },
  );
}
