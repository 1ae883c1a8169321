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
  parseVersion,
  REPEATABLE,
} from '../../definition/argument-parsers.ts';
import { idOfUri } from '../../server/resource-uri.ts';

type ReplaceOptions = { packageVersion: string; assignee?: string; source?: string[] };

/** Adds `airline subticket replace`. */
export function addSubticketReplaceCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    subticket
      .command('replace')
      .description('Put another version of its package in the place of a subticket that failed.')
      .argument('<subticket>', 'its id', parseId('subticket'))
      .requiredOption(
        '--package-version <version>',
        'the version that takes its place',
        parseVersion,
      )
      .option('--assignee <email>', 'who works on it (default: who worked on the one before)')
      .option('--source <url>', `the URL of a file of it ${REPEATABLE}`, collectWords)
      .action(
        runner.remote(async ({ api, out }, id: number, options: ReplaceOptions) => {
          const failed = await api.get<Subticket>(`/api/v1/subticket/${id}/`);
          const ticketId = idOfUri(failed.ticket);
          const { subtickets } = await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
          const name = subtickets.find((one) => one.id === id)?.source_package_upload?.sourcepackage
            .name;
          if (name === undefined || !isShownAsFailed(failed))
            throw new CommandError(
              name === undefined
                ? `Subticket ${id} stands for no source package.`
                : `Subticket ${id} has not failed.`,
              {
                code: 'conflict',
                exit: EXIT.conflict,
                hint: `\`airline subticket set-step ${id} failed --reason …\` says that it has; \`airline submit --ticket ${ticketId}\` does both.`,
              },
            );
          assertUrls(options.source ?? []);
          const made = await api.write<Subticket>('POST', '/api/v1/subticket/', {
            ticket: failed.ticket,
            assignee: options.assignee ?? failed.assignee,
            source_package_upload: {
              sourcepackage: { name },
              version: options.packageVersion,
            },
          });
          await addFirstSources(api, made, options.source ?? []);
          await out.show({
            json: made,
            quiet: made.id,
            human: () =>
              `Subticket ${made.id} of ticket ${ticketId}: ${name} ${options.packageVersion}, in place of ${id}`,
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline subticket replace 9 --package-version 2.10-4', 'the corrected version']],
      notes: [
        '`airline submit` with --ticket does so with files of this machine, and builds what they make.',
      ],
      json: 'the new subticket',
      quiet: 'its id',
    },
  );
}
