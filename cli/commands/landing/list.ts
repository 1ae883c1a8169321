import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import { LANDING_PHASES } from '../../../domain/landings/landing-phase.ts';
import { targetFilter } from '../../../domain/landings/target-filter.ts';
import { INVALID_ARCHIVE, readArchive, type Archive } from '../../../domain/packages/archive.ts';
import { ANY_DISTRIBUTION } from '../../../domain/packages/ppa.ts';
import { usageError } from '../../command-error.ts';
import type { Runner } from '../../command-context.ts';
import { collectWords, parseId, REPEATABLE } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import { landingColumns } from '../../landings/landing-view.ts';
import type { Page } from '../../server/api-client.ts';

type ListOptions = PagingOptions & { ticket?: number; phase?: string[]; target?: string };

/** Adds `airline landing list`. */
export function addLandingListCommand(landing: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      landing
        .command('list')
        .description('List landings, the latest first.')
        .option('--ticket <id>', 'of this ticket', parseId('ticket'))
        .addOption(
          new Option('--phase <phase>', `only those in this phase ${REPEATABLE}`)
            .choices(LANDING_PHASES)
            .argParser(collectPhases),
        )
        .option(
          '--target <target>',
          'only those to this target: a PPA in any of its forms, or a distribution',
        ),
    ).action(
      runner.remote(async ({ api, out }, options: ListOptions) => {
        const page = await api.get<Page<Landing>>('/api/v1/landing/', {
          order_by: '-id',
          limit: options.limit,
          offset: options.offset,
          ticket: options.ticket,
          ...(options.target === undefined ? {} : targetFilter(readTarget(options.target))),
          phase__in: options.phase?.join(','),
        });
        await showPage(out, page, landingColumns(out), 'No landings match.');
        return undefined;
      }),
    ),
    {
      examples: [
        ['airline landing list', 'the latest landings'],
        ['airline landing list --phase approving', 'those that wait for a person'],
        ['airline landing list --target ppa:team/landed', 'those to a PPA, of any distribution'],
        ['airline landing list --ticket 7 -o wide', 'landings of a ticket, with all columns'],
      ],
      ...PAGE_OUTPUT,
    },
  );
}

/**
 * Reads a PPA in any of its forms, of any distribution where it names none; or the name of a distribution.
 *
 * @throws CommandError `usage` where it is neither
 */
function readTarget(text: string): Archive {
  const target = readArchive(text, ANY_DISTRIBUTION);
  if (!target) throw usageError(`${JSON.stringify(text)} is not a target.`, INVALID_ARCHIVE);
  return target;
}

/** @throws InvalidArgumentError where a word is no phase */
function collectPhases(text: string, before?: readonly string[]): string[] {
  const words = collectWords(text.toLowerCase(), before);
  if (words.every((word) => LANDING_PHASES.some((phase) => phase === word))) return words;
  throw new InvalidArgumentError(`The phases are ${LANDING_PHASES.join(', ')}.`);
}
