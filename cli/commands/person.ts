import type { Command } from 'commander';
import { printableLine } from '../../domain/text/printable.ts';
import type { Person } from '../../api/openapi/contract.generated.ts';
import { describeCommand } from '../definition/command-help.ts';
import { fieldList } from '../output/field-list.ts';
import type { Runner } from '../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import type { Page } from '../server/api-client.ts';
import { parseId } from '../definition/argument-parsers.ts';

/** `airline person`: people and teams. */
export function addPersonCommands(program: Command, runner: Runner): void {
  const person = program.command('person').description('People and teams.');

  describeCommand(
    withPaging(
      person
        .command('list')
        .description('List people and teams by their names.')
        .option('--email <email>', 'with this address')
        .option('--teams', 'teams only'),
    ).action(
      runner.remote(
        async ({ api, out }, options: PagingOptions & { email?: string; teams?: boolean }) => {
          const page = await api.get<Page<Person>>('/api/v1/person/', {
            order_by: 'name',
            limit: options.limit,
            offset: options.offset,
            email: options.email,
            is_team: options.teams ? 'true' : undefined,
          });
          await showPage(
            out,
            page,
            [
              { head: 'ID', cell: ({ id }) => id },
              { head: 'NAME', cell: ({ name }) => name, isFlexible: true },
              { head: 'EMAIL', cell: ({ email }) => email, isFlexible: true },
              { head: 'TEAM', cell: ({ is_team: isTeam }) => (isTeam ? 'yes' : 'no') },
            ],
            'No person or team matches.',
          );
          return undefined;
        },
      ),
    ),
    {
      examples: [['airline person list --teams', 'the teams']],
      ...PAGE_OUTPUT,
    },
  );

  describeCommand(
    person
      .command('show')
      .description('Show a person or a team.')
      .argument('<person>', 'the id', parseId('person'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.get<Person>(`/api/v1/person/${id}/`);
          await out.show({
            json: shown,
            quiet: shown.email,
            human: () =>
              fieldList(out, shown.name, [
                ['Id', String(shown.id)],
                ['Email', shown.email],
                ['Team', shown.is_team ? 'yes' : 'no'],
              ]),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline person show 3', 'who it is']],
      json: 'the person',
      quiet: 'the e-mail address',
    },
  );

  describeCommand(
    person
      .command('create')
      .description('Add a person or a team.')
      .requiredOption('--name <name>', 'the name')
      .requiredOption('--email <email>', 'the e-mail address')
      .option('--team', 'it is a team')
      .action(
        runner.remote(
          async ({ api, out }, options: { name: string; email: string; team?: boolean }) => {
            const made = await api.write<Person>('POST', '/api/v1/person/', {
              name: options.name,
              email: options.email,
              is_team: options.team === true,
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => printableLine(`Person ${made.id}: ${made.name}`),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [["airline person create --name 'Ann Doe' --email ann@example.com", 'add her']],
      json: 'the person',
      quiet: 'the id',
    },
  );
}
