import type { Command } from 'commander';
import { CommandError, usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-code.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { parseCount, parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { landingTestRuns, shownAttempt } from '../../landings/test-runs.ts';
import { printLog } from '../../output/print-log.ts';

type LogOptions = { architecture?: string; attempt?: number };

/** Adds `airline landing log`. */
export function addLandingLogCommand(landing: Command, runner: Runner): void {
  describeCommand(
    landing
      .command('log')
      .description(
        "Print the log of a source package's tests, of their latest run in the latest attempt.",
      )
      .argument('<landing>', 'its id', parseId('landing'))
      .argument('<source>', 'the source package')
      .option('--architecture <name>', 'of this architecture; needed where there are several')
      .option('--attempt <number>', 'of an earlier attempt', parseCount)
      .action(
        runner.remote(async (context, id: number, source: string, options: LogOptions) => {
          const { architecture } = options;
          const attempt = await shownAttempt(context.api, id, options.attempt);
          const url = await findLog(context, id, { attempt, source, architecture });
          if (context.out.form === 'json')
            context.out.entry({ url, text: await context.api.text(url) }, () => undefined);
          else await printLog(context, url);
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline landing log 7 mksh', 'what autopkgtest printed'],
        ['airline landing log 7 mksh --architecture arm64 | less', 'on one of several'],
        ['airline landing log 7 mksh --attempt 1', 'what it printed before the retry'],
      ],
      json: 'an object: {"url", "text"}',
      quiet: 'the log alone',
    },
  );
}

/** @throws CommandError where no run, or more than one architecture, is meant */
async function findLog(
  { api }: CommandContext,
  id: number,
  wanted: { attempt: number; source: string; architecture: string | undefined },
): Promise<string> {
  const runs = await landingTestRuns(api, id, wanted);
  const logged = runs.filter(({ log_url: url }) => url !== null);
  const architectures = [...new Set(logged.map(({ architecture }) => architecture))];
  if (architectures.length > 1)
    throw usageError(
      `The tests of ${wanted.source} ran on ${architectures.join(', ')}.`,
      'Name one with --architecture.',
    );
  const url = logged.at(-1)?.log_url;
  if (url) return url;
  const { attempt, source } = wanted;
  throw new CommandError(`Attempt ${attempt} of landing ${id} has no log of tests of ${source}.`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint:
      runs.at(-1)?.fault ??
      `\`airline landing tests ${id} --attempt ${attempt}\` lists what is tested.`,
  });
}
