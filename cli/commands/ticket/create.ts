import { type Command } from 'commander';
import type { Ticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import {
  collectReferences,
  collectWords,
  parseTitle,
  type Reference,
  REPEATABLE,
} from '../../definition/argument-parsers.ts';
import { shellCall } from '../../output/shell-call.ts';
import { unansweredError } from '../../server/connection-loss.ts';

/** Adds `airline ticket create`. */
export function addTicketCreateCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('create')
      .description('Create a ticket without packages. `airline submit` creates one with packages.')
      .requiredOption('--owner <email>', 'its owner')
      .requiredOption('--title <text>', 'what it is, in a line', parseTitle)
      .option('--description <text>', 'what it is for')
      .option('--bug <id>', 'the bug that it fixes')
      .option(
        '--reference <kind=url>',
        `a page that it is about: bug, blueprint, design or other, and its URL ${REPEATABLE}`,
        collectReferences,
      )
      .option('--ppa <ppa>', `a PPA that is dedicated to it ${REPEATABLE}`, collectWords)
      .action(
        runner.remote(
          async (
            { api, out },
            options: {
              owner: string;
              title: string;
              description?: string;
              bug?: string;
              reference?: readonly Reference[];
              ppa?: readonly string[];
            },
          ) => {
            const { reference = [], ppa = [] } = options;
            const isPlain = reference.length === 0 && ppa.length === 0;
            const path = isPlain ? '/api/v1/ticket/' : '/api/v1/ticket/bundle/';
            const made = await api
              .write<Ticket>('POST', path, {
                owner: options.owner,
                title: options.title,
                description: options.description ?? '',
                bug_id: options.bug ?? '',
                ...(isPlain
                  ? {}
                  : { references: reference, ppas: ppa.map((one) => ({ ppa: one })) }),
              })
              .catch((error: unknown) => {
                const list = shellCall('airline ticket list', { '--owner': options.owner });
                throw unansweredError(
                  error,
                  'the ticket was made',
                  `\`${list}\` shows whether it was. If not, make the same call again.`,
                );
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
        [
          "airline ticket create --owner ann@example.com --title 'Say hello' --reference blueprint=https://blueprints.example/hello",
          'one with the blueprint that it carries out',
        ],
      ],
      json: 'the ticket',
      quiet: 'its id',
    },
  );
}
