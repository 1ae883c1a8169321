import type { Command } from 'commander';
import { isShownAsFailed } from '../../../domain/tickets/ticket.ts';
import type { Fullticket, Subticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-code.ts';
import { addFirstSources, assertUrls } from '../../tickets/add-sources.ts';
import {
  collectWords,
  parseId,
  parsePackageName,
  parseVersion,
  REPEATABLE,
} from '../../definition/argument-parsers.ts';

/** Adds `airline subticket create`. */
export function addSubticketCreateCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    subticket
      .command('create')
      .description('Add a source package upload to a ticket.')
      .requiredOption('--ticket <id>', 'the ticket', parseId('ticket'))
      .requiredOption(
        '--package <name>',
        'the name of the source package; it is added if it is new',
        parsePackageName,
      )
      .requiredOption('--package-version <version>', 'its version', parseVersion)
      .option('--assignee <email>', 'who works on it')
      .option('--source <url>', `the URL of a file of it ${REPEATABLE}`, collectWords)
      .action(
        runner.remote(
          async (
            { api, out },
            options: {
              ticket: number;
              package: string;
              packageVersion: string;
              assignee?: string;
              source?: string[];
            },
          ) => {
            const ticket = await api.get<Fullticket>(`/api/v1/fullticket/${options.ticket}/`);
            assertNewPackage(ticket, options.package);
            assertUrls(options.source ?? []);
            const made = await api.write<Subticket>('POST', '/api/v1/subticket/', {
              ticket: `/api/v1/ticket/${options.ticket}/`,
              assignee: options.assignee ?? '',
              source_package_upload: {
                sourcepackage: { name: options.package },
                version: options.packageVersion,
              },
            });
            await addFirstSources(api, made, options.source ?? []);
            await out.show({
              json: made,
              quiet: made.id,
              human: () =>
                `Subticket ${made.id} of ticket ${options.ticket}: ${options.package} ${options.packageVersion}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        [
          'airline subticket create --ticket 7 --package hello --package-version 2.10-3',
          'one more package',
        ],
      ],
      json: 'the subticket',
      quiet: 'its id',
    },
  );
}

/** @throws CommandError where another subticket stands for the package */
function assertNewPackage({ id, subtickets }: Fullticket, name: string): void {
  const other = subtickets.find(
    (one) =>
      one.replaced_by === null &&
      !isShownAsFailed(one) &&
      one.source_package_upload?.sourcepackage.name === name,
  );
  if (!other) return;
  throw new CommandError(`Subticket ${other.id} of ticket ${id} stands for ${name} already.`, {
    code: 'conflict',
    exit: EXIT.conflict,
    hint: `\`airline subticket replace ${other.id}\` puts another version in its place once it has failed.`,
  });
}
