import type { Command } from 'commander';
import { checkTarget } from '../../builds/check-target.ts';
import { anySeriesOption, archiveOption } from '../../definition/target-options.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addLandingOptions, targetOption } from '../../definition/landing-options.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import { requestLanding, type LandingRequestOptions } from '../../landings/request-landing.ts';
import { watchLanding } from '../../landings/watch-landing.ts';

type LandOptions = WaitForEndOptions & LandingRequestOptions;

/** Adds `airline ticket land`. */
export function addTicketLandCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      addLandingOptions(
        ticket
          .command('land')
          .description('Build, test and publish the source packages of a ticket.')
          .argument('<ticket>', 'its id', parseId('ticket'))
          .addOption(targetOption().makeOptionMandatory())
          .requiredOption('--series <series>', 'the series to build for'),
      )
        .option(
          '--ppa <ppa>',
          'build in this PPA (default: the one dedicated to the ticket, else one of the pool)',
        )
        .addOption(archiveOption())
        .option(
          '--queue <name>',
          'the progress queue of the landing and its builds (default: airline-ticket-<id>, if allowed, of its builds alone)',
        )
        .option(
          '--webhook <id>',
          'the id of a webhook to notify instead of a queue',
          parseId('webhook'),
        )
        .addOption(anySeriesOption()),
      'the landing has ended',
    ).action(
      runner.remote(async (context, ticketId: number, options: LandOptions) => {
        const { api, out } = context;
        const { archive } = await checkTarget({ ...options, ticket: ticketId });
        const made = await requestLanding(api, ticketId, { ...options, archive });
        await out.show({
          json: made,
          quiet: made.id,
          human: () =>
            `Landing ${made.id} of ticket ${ticketId} requested.\n\`airline landing watch ${made.id}\` follows it.`,
        });
        return options.wait
          ? watchLanding(context, made.id, { timeoutMs: options.timeout })
          : undefined;
      }),
    ),
    {
      examples: [
        [
          'airline ticket land 7 --ppa ppa:team/landing --series noble --target ubuntu',
          'build it, and publish it in noble-proposed',
        ],
        [
          'airline ticket land 7 --series trixie --archive debian --target ppa:team/landed --wait',
          "build it in the ticket's own PPA, and wait until it is in the other",
        ],
      ],
      notes: [
        'Where the policy of the target asks for it, the landing waits for a person: `airline landing approve`.',
        'With --wait it ends with 0 once everything is published, and with 1 if the landing fails or is cancelled.',
      ],
      json: 'the landing; with --wait it comes first, then every event on a line',
      quiet: 'the id of the landing',
    },
  );
}
