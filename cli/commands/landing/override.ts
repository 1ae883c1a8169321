import type { Command } from 'commander';
import { MAX_OVERRIDE_DAYS } from '../../../domain/testing/override-days.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { Landing, Testoverride } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-code.ts';
import { parseId, parseMoment } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { landingTestRuns } from '../../landings/test-runs.ts';
import { landingPath } from '../../landings/watch-landing.ts';

const DEFAULT_DAYS = 14;
const DAY_MS = 86_400_000;

type OverrideOptions = {
  source: string;
  test?: string;
  architecture?: string;
  reason: string;
  until?: (now: Date) => Date;
};

/** Adds `airline landing override`. */
export function addLandingOverrideCommand(landing: Command, runner: Runner): void {
  describeCommand(
    landing
      .command('override')
      .description('Say that tests which stop a landing do not count, until a time.')
      .argument('<landing>', 'its id', parseId('landing'))
      .requiredOption('--source <name>', 'the source package whose tests they are')
      .option('--test <name>', 'this test alone; by default all of the source')
      .option('--architecture <name>', 'on this architecture alone; by default on all')
      .requiredOption('--reason <text>', 'why they do not count; it stays for good')
      .option(
        '--until <time>',
        `a time such as 2026-04-16T00:00:00Z, or a length such as 7d; ${DEFAULT_DAYS} days by default, ${MAX_OVERRIDE_DAYS} at most`,
        parseMoment,
      )
      .action(
        runner.remote(
          async ({ api, out }, id: number, { until = inDays, ...of }: OverrideOptions) => {
            const { source, architecture } = of;
            const body = { ...of, valid_until: until(out.now()).toISOString() };
            const { phase, attempt } = await api.get<Landing>(landingPath(id));
            const runs = await landingTestRuns(api, id, { attempt, source, architecture });
            if (runs.length === 0)
              throw new CommandError(
                `Landing ${id} has no tests of ${source}${architecture === undefined ? '' : ` on ${architecture}`}.`,
                {
                  code: 'not_found',
                  exit: EXIT.notFound,
                  hint: `\`airline landing tests ${id}\` lists what is tested.`,
                },
              );
            const made = await api.write<Testoverride>('POST', '/api/v1/testoverride/', body);
            await out.show({
              json: made,
              quiet: made.id,
              human: () =>
                printableLine(`${whatOf(made)} until ${made.valid_until}. ${nextFor(id, phase)}`),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        [
          "airline landing override 7 --source mksh --test regress --reason 'the test is wrong: #104'",
          'one test',
        ],
        [
          "airline landing override 7 --source mksh --reason 'rebuilt next week' --until 7d",
          'all tests of mksh',
        ],
      ],
      notes: [
        'It needs a token with the scope landing:approve, holds for every landing that you may approve, and cannot be taken back.',
        'A landing that waits for a person is judged again at once; one that has failed goes on when it is retried.',
      ],
      json: 'the override',
      quiet: 'its id',
    },
  );
}

function inDays(now: Date): Date {
  return new Date(now.getTime() + DEFAULT_DAYS * DAY_MS);
}

/** `regress of mksh does not count on amd64`. */
function whatOf({ source, test, architecture }: Testoverride): string {
  const which = test === null ? `All tests of ${source} do` : `${test} of ${source} does`;
  return `${which} not count${architecture === null ? '' : ` on ${architecture}`}`;
}

function nextFor(id: number, phase: Landing['phase']): string {
  return phase === 'failed'
    ? `\`airline landing retry ${id}\` goes on with what is built.`
    : 'Landings that wait are judged again.';
}
