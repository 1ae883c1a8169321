import type { Command } from 'commander';
import type { Fullticket } from '../../api/openapi/contract.generated.ts';
import { emailAddressOf } from '../../domain/source-package.ts';
import { CommandError, usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import type { CommandContext, CommandOutcome, Runner } from '../command-context.ts';
import { checkOrder } from '../upload/check-order.ts';
import { checkUploads, type CheckedUpload } from '../upload/check-uploads.ts';
import { moveToBuilding, requestBuild } from '../builds/request-build.ts';
import { checkSeries } from '../builds/check-series.ts';
import { checkWithPpa } from '../upload/check-with-ppa.ts';
import { storeUploads } from '../upload/store-files.ts';
import { createUploadProgress, sizeText } from '../upload/upload-progress.ts';
import { parseId } from '../definition/argument-parsers.ts';
import { addTargetOptions, type TargetOptions } from '../definition/target-options.ts';
import { orderOption, type OrderOption } from '../definition/order-option.ts';
import { addWaitOptions } from '../definition/wait-options.ts';
import { watchBuild } from '../builds/watch-build.ts';

type SubmitOptions = OrderOption &
  TargetOptions & {
    title?: string;
    bug?: string;
    description?: string;
    owner?: string;
    assignee?: string;
    queue?: string;
    webhook?: number;
    allowUnsigned?: boolean;
    anySeries?: boolean;
    /** --no-check. */
    check: boolean;
    dryRun?: boolean;
    wait?: boolean;
    timeout?: number;
  };

/** `airline submit`: from files on this machine to a build, in one call. */
export function addSubmitCommand(program: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      addTargetOptions(
        program
          .command('submit')
          .description('Submit source packages as one ticket and have them built.')
          .argument(
            '<changes...>',
            'the .changes of each source package, beside the files that it lists',
          ),
      )
        .option(
          '--title <text>',
          'the title of the ticket (default: the packages and their versions)',
        )
        .option('--bug <id>', 'the bug that it fixes')
        .option('--description <text>', 'what it is for')
        .option(
          '--owner <email>',
          'the owner of the ticket (default: the Changed-By of the first .changes)',
        )
        .option('--assignee <email>', 'the person who works on the subtickets (default: the owner)')
        .option('--queue <name>', 'the progress queue (default: airline-cli-ticket-<id>)')
        .option('--webhook <id>', 'a webhook that is told of it, in place of the queue', parseId)
        .addOption(orderOption())
        .option('--allow-unsigned', 'accept unsigned files, for a server that signs uploads itself')
        .option('--any-series', 'accept a series that this program does not know')
        .option('--no-check', 'do not ask the PPA first whether it would take the packages')
        .option('--dry-run', 'check the files and ask the PPA, but send nothing'),
      'the build has ended',
    ).action(runner.remote(submit)),
    {
      examples: [
        [
          'airline submit hello_2.10-3_source.changes --ppa ppa:team/landing --series noble',
          'one package',
        ],
        [
          'airline submit *.changes --ppa team/landing --series trixie --archive debian --wait',
          'several, and wait',
        ],
        [
          'airline submit *.changes --ppa team/landing --series noble --dry-run',
          'only check the files',
        ],
        [
          'airline submit *.changes --ppa team/landing --series noble --order dependencies',
          'each after those that it needs',
        ],
      ],
      notes: [
        'Before anything is sent, each .changes is read and every file that it lists is checked: there, of the right',
        'size and SHA-256, signed, and for a series that there is. Then the PPA is asked whether it would take them; where',
        'it cannot be asked, the build service does so before the upload. The ticket and its subtickets are moved to Package',
        'Building; the people who land the packages move them on. Ctrl-C during --wait leaves the build running.',
        'With --order dependencies, packages that build-depend on each other in a circle are refused before anything is sent.',
      ],
      json: 'one object: {"ticket", "build"}; with --wait it comes first, then every event on a line',
      quiet: 'the id of the build',
    },
  );
}

async function submit(
  context: CommandContext,
  paths: readonly string[],
  options: SubmitOptions,
): CommandOutcome {
  const { api, out, environment } = context;
  if (!options.anySeries) await checkSeries(options.series, options.archive);
  const uploads = await checkUploads(paths, { allowUnsigned: options.allowUnsigned === true });
  if (options.order) await checkOrder(uploads);
  const owner = options.owner ?? ownerOf(uploads);
  for (const { changes } of uploads)
    if (changes.distribution !== options.series)
      out.notice(
        `${changes.source} ${changes.version} was made for ${changes.distribution}; it is built for ${options.series}.`,
      );
  if (options.check) await checkWithPpa(context, uploads, options);
  if (options.dryRun) {
    await showReady(context, uploads);
    return undefined;
  }
  const progress = await createUploadProgress(environment, out);
  const urls = await storeUploads(api, uploads, progress);
  const made = await api.write<Fullticket>('POST', '/api/v1/ticket/bundle/', {
    owner,
    title: options.title ?? titleOf(uploads),
    description: options.description ?? '',
    bug_id: options.bug ?? '',
    subtickets: uploads.map(({ changes, files }, at) => ({
      assignee: options.assignee ?? owner,
      source_package_upload: {
        sourcepackage: { name: changes.source },
        version: changes.version,
      },
      artifacts: files.map(({ name }, file) => ({
        name,
        type: 'SPU',
        reference: urls[at]?.[file],
      })),
    })),
  });
  const build = await requestBuild(api, {
    ...options,
    ticketId: made.id,
    urls: urls.flat(),
  }).catch((error: unknown) => {
    throw withoutBuild(error, made.id, options);
  });
  const ticket = (await moveToBuilding(context, build)) ?? made;
  await out.show({
    json: { ticket, build },
    quiet: build.id,
    human: () =>
      [
        `Ticket ${ticket.id}  ${api.page(`/ticket/${ticket.id}`)}`,
        `Build ${build.id}   ${api.page(`/build/${build.id}`)}`,
        ...(options.wait ? [] : [`\`airline build watch ${build.id}\` follows it.`]),
      ].join('\n'),
  });
  return options.wait ? watchBuild(context, build.id, { timeoutMs: options.timeout }) : undefined;
}

async function showReady(
  { out }: CommandContext,
  uploads: readonly CheckedUpload[],
): Promise<void> {
  const sizeOf = ({ files }: CheckedUpload) => files.reduce((sum, file) => sum + file.sizeBytes, 0);
  await out.show({
    json: {
      ready: uploads.map((upload) => ({
        source: upload.changes.source,
        version: upload.changes.version,
        signed: upload.changes.isSigned,
        files: upload.files.map(({ name, sizeBytes, sha256 }) => ({
          name,
          size_bytes: sizeBytes,
          sha256,
        })),
      })),
    },
    quiet: uploads.map(({ changes }) => `${changes.source}_${changes.version}`),
    human: () =>
      out.table(
        uploads,
        [
          { head: 'SOURCE PACKAGE', cell: ({ changes }) => changes.source },
          { head: 'VERSION', cell: ({ changes }) => changes.version },
          { head: 'FILES', cell: ({ files }) => files.length },
          { head: 'SIZE', cell: (upload) => sizeText(sizeOf(upload)) },
          { head: 'SIGNED', cell: ({ changes }) => (changes.isSigned ? 'yes' : 'no') },
        ],
        '',
      ),
  });
  out.notice('Ready; nothing was sent.');
}

function titleOf(uploads: readonly CheckedUpload[]): string {
  const names = uploads.map(({ changes }) => `${changes.source} ${changes.version}`);
  const [first = '', ...others] = names;
  return names.length <= 3 ? names.join(', ') : `${first} and ${others.length} others`;
}

function ownerOf(uploads: readonly CheckedUpload[]): string {
  const changedBy = uploads[0]?.changes.changedBy ?? '';
  const email = emailAddressOf(changedBy);
  if (email !== undefined) return email;
  throw usageError(
    `Changed-By, ${JSON.stringify(changedBy)}, has no e-mail address to own the ticket.`,
    'Give the owner with --owner.',
  );
}

/** The ticket is there, so that the same call again would make a second one. */
function withoutBuild(error: unknown, ticketId: number, options: SubmitOptions): unknown {
  if (!(error instanceof CommandError)) return error;
  const { message, code, exit, details, hint } = error;
  const call = `airline build request ${ticketId} --ppa ${options.ppa} --series ${options.series} --archive ${options.archive}${options.order ? ` --order ${options.order}` : ''}`;
  return new CommandError(`Ticket ${ticketId} was made, but no build was requested: ${message}`, {
    code,
    exit,
    details,
    hint: `${hint === undefined ? '' : `${hint} `}Then \`${call}\` goes on from here.`,
    cause: error,
  });
}
