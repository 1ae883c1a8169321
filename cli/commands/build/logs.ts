import { Option, type Command } from 'commander';
import type { Attempt, Build } from '../../../api/openapi/contract.generated.ts';
import { CommandError } from '../../command-error.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addTimeoutOption } from '../../definition/wait-options.ts';
import { EXIT } from '../../exit-code.ts';
import { followLogs } from '../../builds/follow-logs.ts';
import { isLogOf } from '../../../domain/builds/log-name.ts';
import { fileNameOfUrl } from '../../../domain/packages/source-file.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { printLog } from '../../output/print-log.ts';
import { parseCount, parseId } from '../../definition/argument-parsers.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline build logs`. */
export function addBuildLogsCommand(build: Command, runner: Runner): void {
  describeCommand(
    addTimeoutOption(
      build
        .command('logs')
        .description('Print the logs of a build.')
        .argument('<build>', 'its id', parseId('build'))
        .option('--architecture <name>', 'only those of this architecture')
        .option('--package <name>', 'only those of this package')
        .option('--attempt <number>', 'of an earlier attempt', parseCount)
        .addOption(new Option('--list', 'print their addresses only').conflicts('follow'))
        .addOption(
          new Option(
            '-f, --follow',
            'print them while they are written, until the build has ended',
          ).conflicts('attempt'),
        ),
      'follow',
    ).action(
      runner.remote(
        async (
          context,
          id: number,
          options: {
            architecture?: string;
            package?: string;
            attempt?: number;
            list?: boolean;
            follow?: boolean;
            timeout?: number;
          },
        ) => {
          if (options.follow) return followLogs(context, id, options);
          await printLogs(context, id, options);
          return undefined;
        },
      ),
    ),
    {
      examples: [
        ['airline build logs 12', 'all of them'],
        ['airline build logs 12 --architecture amd64 | less', 'one of them'],
        ['airline build logs 12 --list', 'where they are'],
        ['airline build logs 12 --follow --architecture amd64', 'while it is built'],
      ],
      notes: [
        'While a build runs, the PPA shows only the end of its log: --follow begins there, and ends with the exit code of the build. Airline has no logs of a private PPA: Launchpad shows them only to people who are signed in there.',
      ],
      json: 'an object on each line: {"url"}, without --list {"url", "text"}; with --follow {"package", "architecture", "text"} for each line of a log',
      quiet: 'the addresses with --list, else the logs alone',
    },
  );
}

async function printLogs(
  context: CommandContext,
  id: number,
  wanted: { architecture?: string; package?: string; attempt?: number; list?: boolean },
): Promise<void> {
  const { api, out } = context;
  const logs = await logsOf(api, id, wanted.attempt);
  const urls = logs.filter((url) => isLogOf(fileNameOfUrl(url), wanted));
  if (urls.length === 0) {
    const there = logs.length > 0 ? ` There are: ${logs.map(fileNameOfUrl).join(', ')}.` : '';
    throw new CommandError(
      `Build ${id} has no such logs${logs.length > 0 ? '.' : ' yet.'}${there}`,
      {
        code: 'not_found',
        exit: EXIT.notFound,
      },
    );
  }
  for (const url of urls) {
    if (wanted.list) {
      if (out.form === 'quiet') await out.show({ json: url, quiet: url, human: () => '' });
      out.entry({ url }, () => printableLine(url));
      continue;
    }
    if (out.form === 'json') {
      out.entry({ url, text: await api.text(url) }, () => undefined);
      continue;
    }
    const title = urls.length > 1 ? `==> ${fileNameOfUrl(url)} <==` : undefined;
    await printLog(context, url, title);
  }
}

async function logsOf(
  api: CommandContext['api'],
  id: number,
  attempt: number | undefined,
): Promise<string[]> {
  if (attempt === undefined) return (await api.get<Build>(`/api/v1/build/${id}/`)).logs;
  const attempts = await api.get<Page<Attempt>>(`/api/v1/build/${id}/attempts/`);
  const found = attempts.objects.find((one) => one.attempt === attempt);
  if (found) return found.logs;
  throw new CommandError(`Build ${id} has no attempt ${attempt}.`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: `It has ${attempts.objects.length}; \`airline build show ${id}\` lists them.`,
  });
}
