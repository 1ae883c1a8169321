import { type Command } from 'commander';
import type { Ticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';

/** Adds `airline ticket create`. */
export function addTicketCreateCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('create')
      .description('Create a ticket without packages. `airline submit` creates one with packages.')
      .requiredOption('--owner <email>', 'its owner')
      .requiredOption('--title <text>', 'what it is, in a line')
      .option('--description <text>', 'what it is for')
      .option('--bug <id>', 'the bug that it fixes')
      .action(
        runner.remote(
          async (
            { api, out },
            options: { owner: string; title: string; description?: string; bug?: string },
          ) => {
            const made = await api.write<Ticket>('POST', '/api/v1/ticket/', {
              owner: options.owner,
              title: options.title,
              description: options.description ?? '',
              bug_id: options.bug ?? '',
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => `Ticket ${made.id}  ${api.page(`/ticket/${made.id}`)}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ["airline ticket create --owner ann@example.com --title 'Say hello'", 'a ticket to add to'],
      ],
      json: 'the ticket',
      quiet: 'its id',
    },
  );
}
