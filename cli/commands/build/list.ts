import type { Command } from 'commander';
import { launchpadName } from '../../../domain/ppa.ts';
import { BUILD_PHASES } from '../../../domain/build-phase.ts';
import { BUILD_STATES } from '../../../domain/build-request.ts';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { usageError } from '../../command-error.ts';
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
          `only those in this state: ${BUILD_STATES.join(', ')}; more than once for several`,
          collectWords,
        )
        .option(
          '--phase <phase>',
          `only those in this phase: ${BUILD_PHASES.join(', ')}; more than once for several`,
          collectWords,
        )
        .option('--ppa <ppa>', 'only those in this PPA, as it was written in the request')
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
          const page = await api.get<Page<Build>>('/api/v1/build/', {
            order_by: '-id',
            limit: options.limit,
            offset: options.offset,
            ticket: options.ticket,
            ppa: options.ppa,
            series: options.series,
            state__in: options.state?.map((text) => oneOf('state', BUILD_STATES, text)).join(','),
            phase__in: options.phase?.map((text) => oneOf('phase', BUILD_PHASES, text)).join(','),
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
        ['airline build list --state failed', 'builds that have failed'],
        [
          'airline build list --phase waiting_for_builder,dependency_wait',
          'builds that wait in the PPA',
        ],
      ],
      ...PAGE_OUTPUT,
    },
  );
}

/** @throws CommandError where it is none of the words */
function oneOf(what: string, words: readonly string[], text: string): string {
  const word = words.find((one) => one === text.toLowerCase());
  if (word !== undefined) return word;
  throw usageError(
    `There is no ${what} ${JSON.stringify(text)}.`,
    `The ${what}s are ${words.join(', ')}.`,
  );
}
