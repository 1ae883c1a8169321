import type { Command } from 'commander';
import type { Subticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';

/** Adds `airline subticket propose`. */
export function addSubticketProposeCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    subticket
      .command('propose')
      .description('Add a merge proposal to a ticket.')
      .requiredOption('--ticket <id>', 'the ticket', parseId('ticket'))
      .requiredOption('--proposal <id>', 'the merge proposal', parseId('mergeproposal'))
      .option('--assignee <email>', 'who works on it')
      .action(
        runner.remote(
          async (
            { api, out },
            options: { ticket: number; proposal: number; assignee?: string },
          ) => {
            const made = await api.write<Subticket>('POST', '/api/v1/subticket/', {
              ticket: `/api/v1/ticket/${options.ticket}/`,
              assignee: options.assignee ?? '',
              merge_proposal: `/api/v1/mergeproposal/${options.proposal}/`,
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () =>
                `Subticket ${made.id} of ticket ${options.ticket}: merge proposal ${options.proposal}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline subticket propose --ticket 7 --proposal 5', 'what a branch changes']],
      json: 'the subticket',
      quiet: 'its id',
    },
  );
}
