import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type {
  Attempt,
  Build,
  ExpectedDuration,
  ProgressMessage,
} from '../../../api/openapi/contract.generated.ts';
import { usageError } from '../../command-error.ts';
import { buildColumns, describeBuild } from '../../builds/build-view.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { EXIT } from '../../exit-code.ts';
import { fileNameOfUrl } from '../../../domain/source-file.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import { printable } from '../../../domain/printable.ts';
import { moveToBuilding, requestBuild, sourcesOfTicket } from '../../builds/request-build.ts';
import { checkSeries } from '../../builds/check-series.ts';
import {
  BUILD_STATES,
  collectWords,
  parseCount,
  parseId,
  parseTimeout,
} from '../../definition/argument-parsers.ts';
import { describeEvent, watchBuild } from '../../builds/watch-build.ts';
import type { Page } from '../../server/api-client.ts';

type WaitOptions = { wait?: boolean; timeout?: number };

/** `airline build`: requests of builds, and what becomes of them. */
export function addBuildCommands(program: Command, runner: Runner): void {
  const build = program.command('build').description('Builds of source packages in a PPA.');

  describeCommand(
    withPaging(
      build
        .command('list')
        .description('List builds, the latest first.')
        .option('--ticket <id>', 'of this ticket', parseId)
        .option(
          '--state <state>',
          `in this state: ${BUILD_STATES.join(', ')}; more than once for several`,
          collectWords,
        )
        .option('--ppa <ppa>', 'in this PPA, as it was written in the request')
        .option('--series <series>', 'for this series'),
    ).action(
      runner.remote(
        async (
          { api, out },
          options: PagingOptions & {
            ticket?: number;
            state?: string[];
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
            state__in: options.state?.map(stateOf).join(','),
          });
          await showPage(out, page, buildColumns(out), 'There are no such builds.');
          return undefined;
        },
      ),
    ),
    {
      examples: [
        ['airline build list', 'the latest builds'],
        ['airline build list --ticket 7 -o wide', 'those of a ticket, with everything known'],
        ['airline build list --state queued,checking,building', 'what has not ended'],
      ],
      ...PAGE_OUTPUT,
    },
  );

  describeCommand(
    build
      .command('show')
      .description('Show a build, its attempts and, if it failed, why.')
      .argument('<build>', 'its id', parseId)
      .action(
        runner.remote(async (context, id: number) => {
          const { api, out } = context;
          const [shown, attempts, expected] = await Promise.all([
            api.get<Build>(`/api/v1/build/${id}/`),
            api.get<Page<Attempt>>(`/api/v1/build/${id}/attempts/`),
            api.get<Page<ExpectedDuration>>(`/api/v1/build/${id}/expected/`),
          ]);
          await out.show({
            json: { ...shown, attempts: attempts.objects, expected: expected.objects },
            quiet: shown.state,
            human: () => describeBuild(context, shown, attempts.objects, expected.objects),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline build show 12', 'where build 12 stands']],
      json: 'the build, with "attempts", and in "expected" how long each package takes by its earlier builds',
      quiet: `its state: ${BUILD_STATES.join(', ')}`,
    },
  );

  describeCommand(
    build
      .command('request')
      .description('Request a build of the source packages of a ticket, or of URLs.')
      .argument('<ticket>', 'the id of the ticket', parseId)
      .requiredOption('--ppa <ppa>', 'ppa:owner/name, ~owner/distribution/name or owner/name')
      .requiredOption('--series <series>', 'the series to build for')
      .option('--archive <distribution>', "the distribution's archive to build against", 'ubuntu')
      .option(
        '--source <url>',
        'a file of a source package, instead of those of the ticket; once for each',
        collectWords,
      )
      .option('--queue <name>', 'the progress queue (default: airline-cli-ticket-<id>)')
      .option('--cancel-url <url>', 'a URL that tells whether the build is still wanted')
      .option('--any-series', 'take a series that this program does not know')
      .option('--wait', 'follow the build to its end')
      .option('--timeout <time>', 'wait no longer than this: 90s, 15m, 2h', parseTimeout)
      .action(
        runner.remote(
          async (
            context,
            ticketId: number,
            options: WaitOptions & {
              ppa: string;
              series: string;
              archive: string;
              source?: string[];
              queue?: string;
              cancelUrl?: string;
              anySeries?: boolean;
            },
          ) => {
            const { api, out } = context;
            if (!options.anySeries) await checkSeries(options.series, options.archive);
            const urls = options.source ?? (await sourcesOfTicket(api, ticketId));
            const made = await requestBuild(api, { ...options, ticketId, urls });
            await moveToBuilding(context, made);
            if (!options.wait || out.form === 'human') await showRequested(context, made);
            return options.wait
              ? watchBuild(context, made.id, { timeoutMs: options.timeout })
              : undefined;
          },
        ),
      ),
    {
      examples: [
        ['airline build request 7 --ppa ppa:team/landing --series noble', 'build ticket 7'],
        [
          'airline build request 7 --ppa team/landing --series trixie --archive debian --wait',
          'and wait for it',
        ],
      ],
      notes: [
        'Where the ticket and the subtickets that are built are still Queued, they are moved to Package Building.',
      ],
      json: 'the build; with --wait its events instead, one on each line',
      quiet: 'the id of the build; nothing with --wait',
    },
  );

  describeCommand(
    build
      .command('watch')
      .description('Follow a build to its end; a lost connection is taken up again.')
      .argument('<build>', 'its id', parseId)
      .option('--after <seq>', 'begin after this event', parseCount, 0)
      .option('--timeout <time>', 'watch no longer than this: 90s, 15m, 2h', parseTimeout)
      .action(
        runner.remote(async (context, id: number, options: { after: number; timeout?: number }) =>
          watchBuild(context, id, { after: options.after, timeoutMs: options.timeout }),
        ),
      ),
    {
      examples: [
        ['airline build watch 12', 'until it has ended'],
        ['airline build watch 12 --timeout 30m && echo built', 'ends with 0 only if it was built'],
      ],
      notes: ['Says what is new; `airline build events --follow` prints every event.'],
      json: 'every event on a line, as the progress queue has it',
    },
  );

  describeCommand(
    build
      .command('events')
      .description('Print the events of a build, in order.')
      .argument('<build>', 'its id', parseId)
      .option('--after <seq>', 'those after this one', parseCount, 0)
      .option('-f, --follow', 'go on until the build has ended')
      .option('--timeout <time>', 'follow no longer than this: 90s, 15m, 2h', parseTimeout)
      .action(
        runner.remote(
          async (
            context,
            id: number,
            options: { after: number; follow?: boolean; timeout?: number },
          ) => {
            if (options.follow)
              return watchBuild(context, id, {
                after: options.after,
                timeoutMs: options.timeout,
                everyEvent: true,
              });
            await printEvents(context, id, options.after);
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ['airline build events 12', 'what has happened so far'],
        ['airline build events 12 --follow --json', 'for a program, to the end'],
        ['airline build events 12 --after 3', 'what came after event 3'],
      ],
      json: 'every event on a line, as the progress queue has it',
      quiet: 'the seq of each; nothing with --follow',
    },
  );

  describeCommand(
    build
      .command('logs')
      .description('Print the logs of a build.')
      .argument('<build>', 'its id', parseId)
      .option('--architecture <name>', 'only those of this architecture')
      .option('--package <name>', 'only those of this package')
      .option('--attempt <number>', 'of an earlier attempt', parseCount)
      .option('--list', 'print their addresses only')
      .action(
        runner.remote(
          async (
            context,
            id: number,
            options: { architecture?: string; package?: string; attempt?: number; list?: boolean },
          ) => {
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
      ],
      json: 'an object on each line: {"url"}, without --list {"url", "text"}',
      quiet: 'the addresses with --list, else the logs alone',
    },
  );

  describeCommand(
    build
      .command('cancel')
      .description('Cancel a build.')
      .argument('<build>', 'its id', parseId)
      .option('--wait', 'until it has ended')
      .option('--timeout <time>', 'wait no longer than this: 90s, 15m, 2h', parseTimeout)
      .action(
        runner.remote(async (context, id: number, options: WaitOptions) => {
          const { api, out } = context;
          const after = options.wait ? await lastSeq(context, id) : 0;
          const shown = await api.write<Build>('POST', `/api/v1/build/${id}/cancel/`);
          if (!options.wait || out.form === 'human')
            await out.show({
              json: shown,
              human: () =>
                `Build ${id} is being cancelled: what is under way in the PPA is ended, then its logs are collected.`,
            });
          if (!options.wait) return undefined;
          await watchBuild(context, id, { after, timeoutMs: options.timeout });
          const ended = await api.get<Build>(`/api/v1/build/${id}/`);
          return ended.failure?.class === 'cancelled' ? EXIT.done : EXIT.failed;
        }),
      ),
    {
      examples: [
        ['airline build cancel 12', 'ask for it'],
        [
          'airline build cancel 12 --wait',
          'ends with 0 when it was cancelled, with 1 when it ended otherwise',
        ],
      ],
      json: 'the build; with --wait its events instead, one on each line',
    },
  );

  describeCommand(
    build
      .command('retry')
      .description('Build again what failed, as one more attempt of the same build.')
      .argument('<build>', 'its id', parseId)
      .option('--wait', 'follow the attempt to its end')
      .option('--timeout <time>', 'wait no longer than this: 90s, 15m, 2h', parseTimeout)
      .action(
        runner.remote(async (context, id: number, options: WaitOptions) => {
          const { api, out } = context;
          const after = options.wait ? await lastSeq(context, id) : 0;
          const shown = await api.write<Build>('POST', `/api/v1/build/${id}/retry/`, {});
          if (!options.wait || out.form === 'human')
            await out.show({
              json: shown,
              quiet: shown.attempt,
              human: () => `Build ${id} is tried again: attempt ${shown.attempt}.`,
            });
          return options.wait
            ? watchBuild(context, id, { after, timeoutMs: options.timeout })
            : undefined;
        }),
      ),
    {
      examples: [['airline build retry 12 --wait', 'try again what failed, and wait for it']],
      json: 'the build; with --wait its events instead, one on each line',
      quiet: 'the number of the attempt',
    },
  );
}

function stateOf(text: string): string {
  const state = BUILD_STATES.find((one) => one === text.toLowerCase());
  if (state) return state;
  throw usageError(
    `There is no state ${JSON.stringify(text)}.`,
    `States are ${BUILD_STATES.join(', ')}.`,
  );
}

/** Says that a build was requested, and where it is to be seen. */
async function showRequested({ api, out }: CommandContext, build: Build): Promise<void> {
  await out.show({
    json: build,
    quiet: build.id,
    human: () =>
      `Build ${build.id} requested: ${api.page(`/build/${build.id}`)}\n\`airline build watch ${build.id}\` follows it.`,
  });
}

async function printEvents({ api, out }: CommandContext, id: number, after: number): Promise<void> {
  for (let seq = after; ;) {
    const page = await api.get<Page<ProgressMessage>>(`/api/v1/build/${id}/events/`, {
      after: seq,
    });
    for (const event of page.objects) {
      if (out.form === 'quiet') await out.show({ json: event, quiet: event.seq, human: () => '' });
      out.entry(event, () => `#${event.seq}  ${describeEvent(event, out.colour)}`);
      seq = event.seq;
    }
    if (page.meta.next === null || page.objects.length === 0) {
      if (seq === after) out.notice(`Build ${id} has no events after ${after}.`);
      return;
    }
  }
}

async function lastSeq({ api }: CommandContext, id: number): Promise<number> {
  const page = await api.get<Page<ProgressMessage>>(`/api/v1/build/${id}/events/`, { limit: 1 });
  return page.meta.total_count;
}

async function printLogs(
  { api, out, environment }: CommandContext,
  id: number,
  wanted: { architecture?: string; package?: string; attempt?: number; list?: boolean },
): Promise<void> {
  const logs = await logsOf(api, id, wanted.attempt);
  const isWanted = (url: string) => {
    const [name, , architecture = ''] = fileNameOfUrl(url).split('_');
    return (
      (wanted.package === undefined || name === wanted.package) &&
      (wanted.architecture === undefined || architecture.split('.')[0] === wanted.architecture)
    );
  };
  const urls = logs.filter(isWanted);
  if (urls.length === 0) {
    const there = logs.length > 0 ? ` There are: ${logs.map(fileNameOfUrl).join(', ')}.` : '';
    out.notice(`Build ${id} has no such logs${logs.length > 0 ? '.' : ' yet.'}${there}`);
    return;
  }
  for (const url of urls) {
    if (wanted.list) {
      if (out.form === 'quiet') await out.show({ json: url, quiet: url, human: () => '' });
      out.entry({ url }, () => url);
      continue;
    }
    if (out.form === 'json') {
      out.entry({ url, text: await api.text(url) }, () => undefined);
      continue;
    }
    const { bytes } = await api.stream(url);
    if (urls.length > 1) out.notice(`==> ${fileNameOfUrl(url)} <==`);
    // A log comes from strangers: a terminal gets the text of it, a pipe its bytes.
    await pipeline(out.isTerminal ? cleaned(bytes) : bytes, environment.stdout, { end: false });
  }
}

async function* cleaned(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const shown = (text: string) => printable(text.replaceAll('\r\n', '\n'));
  for await (const part of bytes) yield shown(decoder.decode(part, { stream: true }));
  yield shown(decoder.decode());
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
  throw usageError(
    `Build ${id} has no attempt ${attempt}.`,
    `It has ${attempts.objects.length}; \`airline build show ${id}\` lists them.`,
  );
}
