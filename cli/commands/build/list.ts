import { Option, type Command } from 'commander';
import { launchpadName } from '../../../domain/packages/ppa.ts';
import { BUILD_PHASES, phaseWords, type BuildPhase } from '../../../domain/builds/build-phase.ts';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { usageError } from '../../command-error.ts';
import { givenPpa } from '../../builds/given-ppa.ts';
import { emailAddressOf } from '../../../domain/packages/source-package.ts';
import type { CommandEnvironment } from '../../environment.ts';
import { buildColumns } from '../../builds/build-view.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import {
  collectWords,
  parseEmail,
  parseId,
  parsePast,
  REPEATABLE,
} from '../../definition/argument-parsers.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline build list`. */
export function addBuildListCommand(build: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      build
        .command('list')
        .description('List builds, the latest first.')
        .option('--ticket <id>', 'of this ticket', parseId('ticket'))
        .option(
          '--state <state>',
          `only those in this state: ${BUILD_PHASES.map(phaseWords).join(', ')} ${REPEATABLE}`,
          collectWords,
        )
        .addOption(new Option('--phase <state>').argParser(collectWords).hideHelp())
        .option('--ppa <ppa>', 'only those in this PPA, in any of its forms')
        .option('--series <series>', 'for this series', launchpadName)
        .option('--owner <email>', 'of tickets of this owner; me: the address in DEBEMAIL or EMAIL')
        .option(
          '--since <time>',
          'requested since then: 2026-04-16T00:00:00Z, or for how long: 90m, 7d',
          parsePast,
        ),
    ).action(
      runner.remote(
        async (
          { api, out, environment },
          options: PagingOptions & {
            owner?: string;
            since?: (now: Date) => Date;
            ticket?: number;
            state?: string[];
            phase?: string[];
            ppa?: string;
            series?: string;
          },
        ) => {
          const states = [...(options.state ?? []), ...(options.phase ?? [])];
          if (options.ppa !== undefined) givenPpa(options.ppa);
          const page = await api.get<Page<Build>>('/api/v1/build/', {
            order_by: '-id',
            limit: options.limit,
            offset: options.offset,
            ticket: options.ticket,
            in_ppa: options.ppa,
            series: options.series,
            ticket__owner:
              options.owner === undefined ? undefined : ownerOf(environment, options.owner),
            requested_at__gte: options.since?.(out.now()).toISOString(),
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
        ['airline build list --owner me --since 7d', 'mine of this week'],
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

/** @throws CommandError `usage` where nobody says who `me` is */
function ownerOf({ env }: CommandEnvironment, given: string): string {
  if (given !== 'me') return parseEmail(given);
  const own = env['DEBEMAIL'] || env['EMAIL'];
  const address = own && (emailAddressOf(own) ?? own);
  if (address) return address;
  throw usageError(
    'Nothing says who you are.',
    'Set DEBEMAIL, or give the address: --owner ann@example.com.',
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
