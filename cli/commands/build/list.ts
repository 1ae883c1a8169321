import { Option, type Command } from 'commander';
import { launchpadName } from '../../../domain/ppa.ts';
import { BUILD_PHASES, phaseWords, type BuildPhase } from '../../../domain/build-phase.ts';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { usageError } from '../../command-error.ts';
import { ppaForms } from '../../builds/ppa-forms.ts';
import { buildColumns } from '../../builds/build-view.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import { collectWords, parseId } from '../../definition/argument-parsers.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline build list`. */
export function addBuildListCommand(build: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      build
        .command('list')
        .description('List builds, the latest first.')
        .option('--ticket <id>', 'of this ticket', parseId)
        .option(
          '--state <state>',
          `only those in this state: ${BUILD_PHASES.map(phaseWords).join(', ')}; more than once for several`,
          collectWords,
        )
        .addOption(new Option('--phase <state>').argParser(collectWords).hideHelp())
        .option('--ppa <ppa>', 'only those in this PPA, in any of its forms')
        .option('--series <series>', 'for this series', launchpadName),
    ).action(
      runner.remote(
        async (
          { api, out },
          options: PagingOptions & {
            ticket?: number;
            state?: string[];
            phase?: string[];
            ppa?: string;
            series?: string;
          },
        ) => {
          const states = [...(options.state ?? []), ...(options.phase ?? [])];
          const ppa = options.ppa === undefined ? undefined : ppaForms(options.ppa);
          const page = await api.get<Page<Build>>('/api/v1/build/', {
            order_by: '-id',
            limit: options.limit,
            offset: options.offset,
            ticket: options.ticket,
            ppa__in: ppa?.texts.join(','),
            archive: ppa?.archive,
            series: options.series,
            phase__in: states.length > 0 ? states.map(parseState).join(',') : undefined,
          });
          await showPage(out, page, buildColumns(out), 'No builds match.');
          return undefined;
        },
      ),
    ),
    {
      examples: [
        ['airline build list', 'the latest builds'],
        ['airline build list --ticket 7 -o wide', 'builds of a ticket, with all columns'],
        ['airline build list --state failed', 'builds that have failed, without cancelled ones'],
        [
          'airline build list --state waiting-for-builder,dependency-wait',
          'builds that wait in the PPA',
        ],
      ],
      ...PAGE_OUTPUT,
    },
  );
}

/** A state as the list shows it, in any case and with - or _ for its space. @throws CommandError `usage` */
function parseState(text: string): BuildPhase {
  const wanted = text.toLowerCase().replaceAll(/[ -]/g, '_');
  const phase = BUILD_PHASES.find((one) => one === wanted);
  if (phase !== undefined) return phase;
  throw usageError(
    `There is no state ${JSON.stringify(text)}.`,
    `The states are ${BUILD_PHASES.map(phaseWords).join(', ')}.`,
  );
}
