import type { Command } from 'commander';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { readHistory } from '../../tickets/read-history.ts';
import { historyColumns } from '../../tickets/watch-ticket.ts';

/** Adds `airline subticket history`. */
export function addSubticketHistoryCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    subticket
      .command('history')
      .description('Print who changed the step and status of a subticket, when, and why.')
      .argument('<subticket>', 'its id', parseId('subticket'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const page = await readHistory(api, `/api/v1/subticket/${id}/`);
          await out.show({
            json: page,
            quiet: page.objects.map(({ to_step: step }) => step),
            human: () =>
              out.list(page.objects, historyColumns(out), `Subticket ${id} has not moved yet.`),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline subticket history 9', 'who moved it']],
      json: 'every change, as one page of the API: {"meta", "objects"}',
      quiet: 'the steps that it reached, in order',
    },
  );
}
