import type { Command } from 'commander';
import type { Person } from '../../api/openapi/contract.generated.ts';
import { describeCommand } from '../describe-command.ts';
import { facts } from '../facts.ts';
import type { Runner } from '../invocation.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../list-page.ts';
import type { Page } from '../rest.ts';
import { parseId } from '../values.ts';

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
        async ({ rest, out }, options: PagingOptions & { email?: string; teams?: boolean }) => {
          const page = await rest.get<Page<Person>>('/api/v1/person/', {
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
            'There is nobody like that.',
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
      .argument('<person>', 'the id', parseId)
      .action(
        runner.remote(async ({ rest, out }, id: number) => {
          const shown = await rest.get<Person>(`/api/v1/person/${id}/`);
          await out.show({
            json: shown,
            quiet: shown.email,
            human: () =>
              facts(out, shown.name, [
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
          async ({ rest, out }, options: { name: string; email: string; team?: boolean }) => {
            const made = await rest.write<Person>('POST', '/api/v1/person/', {
              name: options.name,
              email: options.email,
              is_team: options.team === true,
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => `Person ${made.id}: ${made.name}`,
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
