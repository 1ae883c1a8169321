import { type Command } from 'commander';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { readHistory } from '../../tickets/read-history.ts';
import { historyColumns } from '../../tickets/watch-ticket.ts';

/** Adds `airline ticket history`. */
export function addTicketHistoryCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('history')
      .description(
        'Print who changed the step and status of a ticket and its subtickets, when, and why.',
      )
      .argument('<ticket>', 'its id', parseId('ticket'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const page = await readHistory(api, `/api/v1/ticket/${id}/`, { subtickets: 'true' });
          await out.show({
            json: page,
            quiet: page.objects
              .filter(({ subticket }) => subticket === null)
              .map(({ to_step: step }) => step),
            human: () =>
              out.list(page.objects, historyColumns(out), `Ticket ${id} has not moved yet.`),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline ticket history 7 -o wide', 'with the requests that made the changes']],
      json: 'every change, as one page of the API: {"meta", "objects"}',
      quiet: 'the steps that it reached, in order, without those of its subtickets',
    },
  );
}
