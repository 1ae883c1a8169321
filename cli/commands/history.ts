// Not by its name, which what is put before the bundle has taken.
import modules from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { CommandError, Interrupted, usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import { EXIT } from '../exit-code.ts';
import type { Runner } from '../command-context.ts';
import { exportAllRuns, exportRun } from '../builds/export-history.ts';
import { readSettings } from '../settings/settings.ts';
import { parseCount, parseId } from '../definition/argument-parsers.ts';

type ExportOptions = { attempt?: number; run?: string; all?: boolean; to?: string };

/** `airline history`: the workflow histories of builds, to replay them. */
export function addHistoryCommands(program: Command, runner: Runner): void {
  const history = program
    .command('history')
    .description("The histories of builds' workflows, for tests of workflow code.");

  describeCommand(
    history
      .command('export')
      .description(
        "Print the history of a build's workflow: of its latest run, of the one that is named, or of all.",
      )
      .argument('<build>', 'the id of the build', parseId('build'))
      .option('--attempt <number>', 'of this attempt', parseCount)
      .option('--run <id>', 'of this run, if the build went on in further runs')
      .option('--all', 'of all runs of all attempts, each in a file of its own; needs --to')
      .option('--to <file>', 'the file to write; with --all, the folder of the files')
      .action(
        runner.remote(async (context, id: number, { all, to, ...chosen }: ExportOptions) => {
          if (all !== true) await exportRun(context, id, chosen, to);
          else if (to === undefined || Object.keys(chosen).length > 0)
            throw usageError('--all needs --to, and cannot be used with --attempt or --run.');
          else await exportAllRuns(context, id, to);
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline history export 12 --to history.json', 'keep it'],
        ['airline history replay history.json', 'and check that the code still replays it'],
        ['airline history export 12 --all --to histories', 'keep all runs of all attempts'],
      ],
      notes: [
        'It contains no machine names and no secrets from URLs.',
        'With --all, the files are called build-<id>-attempt-<number>-run-<run id>.json.',
      ],
      json: 'the history on one line: {"events"}; with --to {"file", "events"}, for each file one line',
      quiet: 'the history; nothing with --to',
    },
  );

  describeCommand(
    history
      .command('replay')
      .description('Replay histories with the workflow code of this clone.')
      .argument('<histories...>', 'files, folders, or build ids')
      .action(
        runner.local(async ({ environment, globals, out }, targets: readonly string[]) => {
          const { cloneDirectory, interruption, runProgram } = environment;
          if (cloneDirectory === undefined)
            throw new CommandError(
              'Workflow code is replayed in a clone of Airline, and this command is not in one.',
              {
                code: 'no_clone',
                exit: EXIT.usage,
                hint: `In the clone: npm run build && npm run -s replay -- ${targets.join(' ')}`,
              },
            );
          const { url, token } = await readSettings(environment, globals);
          const code = await runProgram(
            process.execPath,
            [
              '--import',
              loaderOf(cloneDirectory),
              `${cloneDirectory}admin/replay.ts`,
              ...(out.form === 'json' ? ['--json'] : []),
              ...targets,
            ],
            {
              // tsx takes the one of the current directory, which is of another project.
              TSX_TSCONFIG_PATH: `${cloneDirectory}tsconfig.json`,
              AIRLINE_PUBLIC_URL: url.origin,
              // Empty, it is none: one in this environment may be another server's.
              AIRLINE_TOKEN: token ?? '',
            },
          );
          if (interruption.aborted || code === EXIT.interrupted) throw new Interrupted();
          return code === 0 ? EXIT.done : code === 1 ? EXIT.failed : EXIT.usage;
        }),
      ),
    {
      examples: [
        ['airline history replay test/histories/*.json', 'recorded ones'],
        ['airline history replay 12', 'all runs of all attempts of build 12'],
      ],
      notes: [
        'Ends with 0 where every history replays, with 1 where one diverges, with 2 where nothing could be replayed.',
      ],
      json: '{"bundle", "histories"}',
    },
  );
}

/** What runs the TypeScript of a clone, wherever it is called from. */
function loaderOf(cloneDirectory: string): string {
  try {
    return pathToFileURL(modules.createRequire(`${cloneDirectory}package.json`).resolve('tsx'))
      .href;
  } catch (cause) {
    throw new CommandError(`The packages of the clone ${cloneDirectory} are not installed.`, {
      code: 'no_packages',
      exit: EXIT.usage,
      hint: 'In the clone: npm ci',
      cause,
    });
  }
}
