import { Option, type Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import { POCKETS } from '../../../domain/archive.ts';
import { checkSeries } from '../../builds/check-series.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import { watchLanding } from '../../landings/watch-landing.ts';

type LandOptions = WaitForEndOptions & {
  target: string;
  series: string;
  targetSeries?: string;
  pocket?: string;
  ppa?: string;
  archive: string;
  queue?: string;
  anySeries?: boolean;
};

/** Adds `airline ticket land`. */
export function addTicketLandCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      ticket
        .command('land')
        .description('Build the source packages of a ticket and, once approved, publish them.')
        .argument('<ticket>', 'its id', parseId)
        .requiredOption('--target <target>', 'a PPA, or the name of a distribution: publish there')
        .requiredOption('--series <series>', 'the series to build for')
        .option('--target-series <series>', 'publish in this series (default: that of --series)')
        .addOption(
          new Option(
            '--pocket <pocket>',
            'publish in this pocket (default: Release in a PPA, else Proposed)',
          ).choices(POCKETS),
        )
        .option('--ppa <ppa>', 'build in this PPA (default: the one dedicated to the ticket)')
        .option('--archive <distribution>', "the distribution's archive to build against", 'ubuntu')
        .option('--queue <name>', 'the progress queue of its builds (default: airline-ticket-<id>)')
        .option('--any-series', 'accept a series that this program does not know'),
      'the landing has ended',
    ).action(
      runner.remote(async (context, ticketId: number, options: LandOptions) => {
        const { api, out } = context;
        if (!options.anySeries) await checkSeries(options.series, options.archive);
        const made = await api.write<Landing>('POST', `/api/v1/ticket/${ticketId}/land/`, {
          target: options.target,
          series: options.series,
          target_series: options.targetSeries,
          pocket: options.pocket,
          ppa: options.ppa,
          archive: options.archive,
          progress_trigger: options.queue,
        });
        if (!options.wait || out.form === 'human')
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
        'No tests are run yet, so every landing waits for a person: `airline landing approve`.',
        'With --wait it ends with 0 once everything is published, and with 1 if the landing fails or is cancelled.',
      ],
      json: 'the landing; with --wait its events instead, one on each line',
      quiet: 'the id of the landing; nothing with --wait',
    },
  );
}
