import type { Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { parseCount, parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import {
  hasFailed,
  landingTestRuns,
  shownAttempt,
  testRunColumns,
} from '../../landings/test-runs.ts';

/** Adds `airline landing tests`. */
export function addLandingTestsCommand(landing: Command, runner: Runner): void {
  describeCommand(
    landing
      .command('tests')
      .description('List the tests that are run for a landing, and how they ended.')
      .argument('<landing>', 'its id', parseId('landing'))
      .option('--failed', 'only those with a test that failed, or that could not be made')
      .option('--attempt <number>', 'of an earlier attempt', parseCount)
      .action(
        runner.remote(
          async (
            { api, out },
            id: number,
            { failed = false, attempt: asked }: { failed?: boolean; attempt?: number },
          ) => {
            const attempt = await shownAttempt(api, id, asked);
            const all = await landingTestRuns(api, id, { attempt });
            const runs = failed ? all.filter(hasFailed) : all;
            const empty =
              all.length > 0
                ? 'No test has failed.'
                : `Landing ${id} has no tests in this attempt.`;
            await out.show({
              json: runs,
              quiet: runs.map((run) => run.id),
              human: () => out.list(runs, testRunColumns(), empty),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ['airline landing tests 7', 'what is tested, why, and how it ended'],
        ['airline landing tests 7 --failed -o wide', 'what failed, with the addresses of the logs'],
      ],
      notes: ['`airline landing log` prints the log of one of them.'],
      json: 'the test runs of the API',
      quiet: 'the ids of the test runs',
    },
  );
}
