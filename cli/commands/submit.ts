import { Option, type Command } from 'commander';
import { shownPackage } from '../../domain/packages/source-file.ts';
import { addToTicket, placeInTicket } from '../upload/add-to-ticket.ts';
import type { Fullticket } from '../../api/openapi/contract.generated.ts';
import { Interrupted, usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import type { CommandContext, CommandOutcome, Runner } from '../command-context.ts';
import { findChanges, type FoundChanges, type SignOptions } from '../upload/find-changes.ts';
import { assertOrder } from '../upload/assert-order.ts';
import { checkUploads, type CheckedUpload } from '../upload/check-uploads.ts';
import { shownKey } from '../upload/verify-signature.ts';
import type { Output } from '../output/output.ts';
import type { ApiClient } from '../server/api-client.ts';
import {
  buildCall,
  moveToBuilding,
  OWN_QUEUE,
  reportTo,
  requestBuild,
} from '../builds/request-build.ts';
import { checkTarget } from '../builds/check-target.ts';
import { assertTakenByPpa } from '../upload/assert-taken-by-ppa.ts';
import { storeUploads } from '../upload/store-files.ts';
import { makeTicket, ownerOf, type TicketOptions } from '../upload/make-ticket.ts';
import { showReady } from '../upload/show-ready.ts';
import { requestError, ticketError } from '../upload/submission-errors.ts';
import { createUploadProgress } from '../upload/upload-progress.ts';
import { parseEmail, parseId, parseTitle } from '../definition/argument-parsers.ts';
import { addTargetOptions, type TargetOptions } from '../definition/target-options.ts';
import { orderOption, type OrderOption } from '../definition/order-option.ts';
import {
  addLandingOptions,
  targetOption,
  type LandingOptions,
} from '../definition/landing-options.ts';
import { addWaitOptions, type WaitForEndOptions } from '../definition/wait-options.ts';
import { landingCall, requestLanding } from '../landings/request-landing.ts';
import { watchLanding } from '../landings/watch-landing.ts';
import { watchBuild } from '../builds/watch-build.ts';

type SubmitOptions = OrderOption &
  Omit<TargetOptions, 'ppa'> &
  LandingOptions &
  TicketOptions &
  SignOptions &
  WaitForEndOptions & {
    /** Given unless it lands. */
    ppa?: string;
    land?: boolean;
    /** Given if it lands. */
    target?: string;
    queue?: string;
    webhook?: number;
    /** --no-check. */
    check: boolean;
    dryRun?: boolean;
    ticket?: number;
  };

/** `airline submit`: from files on this machine to a build or a landing, in one call. */
export function addSubmitCommand(program: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      addLandOptions(
        addTargetOptions(
          program
            .command('submit')
            .description('Submit source packages as one ticket and have them built, or landed.')
            .argument(
              '<changes...>',
              'the .changes of each source package, or its .dsc, beside the files that it lists',
            ),
        ),
      )
        .addOption(
          new Option(
            '--ticket <id>',
            'into this ticket, in place of what failed there (default: a new ticket)',
          )
            .argParser(parseId('ticket'))
            .conflicts(['title', 'bug', 'description', 'owner']),
        )
        .option(
          '--title <text>',
          'the title of the ticket (default: the packages and their versions)',
          parseTitle,
        )
        .option('--bug <id>', 'the bug that it fixes')
        .option('--description <text>', 'what it is for')
        .option(
          '--owner <email>',
          'the owner of the ticket (default: the Changed-By of the first .changes)',
          parseEmail,
        )
        .option(
          '--assignee <email>',
          'the person who works on the subtickets (default: the owner)',
          parseEmail,
        )
        .option(
          '--queue <name>',
          'the progress queue (default: airline-cli-ticket-<id>; with --land airline-ticket-<id>, if allowed)',
        )
        .option(
          '--webhook <id>',
          'the id of a webhook to notify instead of a queue',
          parseId('webhook'),
        )
        .addOption(orderOption().conflicts('land'))
        .option(
          '--sign-with <key>',
          'make and sign the .changes of a .dsc that has none, with this key of gpg',
        )
        .option('--allow-unsigned', 'accept unsigned files, for a server that signs uploads itself')
        .option('--no-check', 'do not ask the PPA first whether it would take the packages')
        .option('--dry-run', 'check the files and ask the PPA, but send nothing'),
      'the build or the landing has ended',
    ).action(runner.remote(submit)),
    {
      examples: [
        [
          'airline submit hello_2.10-3_source.changes --ppa ppa:team/landing --series noble',
          'one package',
        ],
        [
          'airline submit hello_2.10-3.dsc --sign-with ann@example.com --ppa team/landing --series noble',
          'from the .dsc alone',
        ],
        [
          'airline submit *.changes --ppa team/landing --series trixie --archive debian --wait',
          'several, and wait',
        ],
        [
          'airline submit *.changes --ppa team/landing --series noble --dry-run',
          'check the files and ask the PPA, and send nothing',
        ],
        [
          'airline submit hello_2.10-4_source.changes --ticket 7 --ppa team/landing --series noble',
          'a corrected package, in place of the one that failed',
        ],
        [
          'airline submit *.changes --ppa team/landing --series noble --order dependencies',
          'each after those that it needs',
        ],
        [
          'airline submit *.changes --land --target ubuntu --series noble --wait',
          'build them in a PPA of the pool, test them, and publish them in noble-proposed',
        ],
      ],
      notes: [
        'Before anything is sent, each .changes is read and every file that it lists is checked: there, of the right',
        'size and SHA-256, signed, and for a series that exists. Then the PPA is asked whether it would take them; where',
        'it cannot be asked, the build service does so before the upload. The ticket and its subtickets are moved to Package',
        'Building; the people who land the packages move them on. Ctrl-C during --wait leaves the build running.',
        'For a .dsc, the .changes beside it is submitted. Where there is none, --sign-with makes one of the unpacked source, as',
        'dpkg-buildpackage -S -sa does, signs it and the .dsc, and leaves both there; a dry run leaves nothing.',
        'With --order dependencies, packages that build-depend on each other in a cycle are refused before anything is sent.',
        'With --land a landing of the ticket is requested in place of a build, as `airline ticket land` does: --target is',
        'needed then, and --ppa is not. Where it is not given, nothing is asked first, nor in a dry run: a --queue that is',
        'not allowed is refused once the ticket is made, as a --target always is. With --wait it has the exit codes of',
        'that command.',
      ],
      json: 'one object: {"ticket", "build"} or {"ticket", "landing"}; with --wait it comes first, then every event on a line',
      quiet: 'the id of the build, or of the landing',
    },
  );
}

/** `--land`, and where to publish. With it the target is needed in place of the PPA. */
function addLandOptions(command: Command): Command {
  const target = targetOption();
  return addLandingOptions(
    command.option('--land', 'request a landing in place of a build').addOption(target),
  ).on('option:land', () => {
    target.makeOptionMandatory();
    command.options.find(({ long }) => long === '--ppa')?.makeOptionMandatory(false);
  });
}

async function submit(
  context: CommandContext,
  paths: readonly string[],
  options: SubmitOptions,
): CommandOutcome {
  const { ppa, target } = options;
  if (!options.land && (target ?? options.targetSeries ?? options.pocket) !== undefined)
    throw usageError('--target, --target-series and --pocket are of a landing.', 'Add --land.');
  const { archive } = await checkTarget(options);
  const found = await findChanges(context, paths, options);
  let made: Awaited<ReturnType<typeof send>>;
  try {
    made = await send(context, found, { ...options, archive });
  } finally {
    await found.remove();
  }
  if (!made) return undefined;
  const { ticket, urls } = made;
  if (target !== undefined) return land(context, ticket, { ...options, archive, target });
  return build(context, ticket, urls, { ...options, archive, ppa: ppa ?? '' });
}

/**
 * Checks source package uploads, stores them and puts them into a ticket.
 *
 * @returns undefined in a dry run, which sends nothing
 */
async function send(
  context: CommandContext,
  { paths, keep }: FoundChanges,
  options: SubmitOptions,
): Promise<{ ticket: Fullticket; urls: string[] } | undefined> {
  const { api, out, environment } = context;
  const { ppa, series, archive, land, queue: given } = options;
  const uploads = await checkUploads(environment, paths, {
    allowUnsigned: options.allowUnsigned === true,
  });
  if (options.order) await assertOrder(uploads);
  const owner = options.owner ?? ownerOf(uploads);
  const placed =
    options.ticket === undefined ? [] : await placeInTicket(api, options.ticket, uploads);
  for (const upload of uploads) tellUploadNotes(out, upload, series);
  // A landing that names no queue goes without one where it may not name its own.
  const queue = land ? given : reportTo(options, OWN_QUEUE).progress_trigger;
  if (options.check && ppa !== undefined)
    await assertTakenByPpa(context, uploads, { ppa, series, archive, queue });
  if (options.dryRun) {
    await showReady(context, uploads);
    return undefined;
  }
  await keep();
  const progress = await createUploadProgress(environment, out);
  const urls = await storeUploads(api, uploads, progress).catch((error: unknown) => {
    throw error instanceof Interrupted
      ? new Interrupted(
          'No ticket was made and no build was requested; the same call begins again.',
        )
      : error;
  });
  const ticket =
    options.ticket === undefined
      ? await makeTicket(api, uploads, urls, { ...options, owner }).catch((error: unknown) => {
          throw ticketError(error, owner);
        })
      : await addToTicket(api, options.ticket, placed, urls, options.assignee ?? owner);
  return { ticket, urls: urls.flat() };
}

async function build(
  context: CommandContext,
  made: Fullticket,
  urls: readonly string[],
  options: SubmitOptions & TargetOptions,
): CommandOutcome {
  const { api, out } = context;
  const build = await requestBuild(api, { ...options, ticketId: made.id, urls }).catch(
    (error: unknown) => {
      throw requestError(error, made.id, 'build', buildCall({ ...options, ticket: made, urls }));
    },
  );
  const ticket = (await moveToBuilding(context, build)) ?? made;
  await out.show({
    json: { ticket, build },
    quiet: build.id,
    human: () =>
      [
        ...pageLines(
          api,
          [`Ticket ${ticket.id}`, `/ticket/${ticket.id}`],
          [`Build ${build.id}`, `/build/${build.id}`],
        ),
        ...(options.wait ? [] : [`\`airline build watch ${build.id}\` follows it.`]),
      ].join('\n'),
  });
  return options.wait ? watchBuild(context, build.id, { timeoutMs: options.timeout }) : undefined;
}

async function land(
  context: CommandContext,
  ticket: Fullticket,
  options: SubmitOptions & { target: string },
): CommandOutcome {
  const { api, out } = context;
  const landing = await requestLanding(api, ticket.id, options).catch((error: unknown) => {
    throw requestError(error, ticket.id, 'landing', landingCall(ticket.id, options));
  });
  await out.show({
    json: { ticket, landing },
    quiet: landing.id,
    human: () =>
      [
        `Ticket ${ticket.id}  ${api.page(`/ticket/${ticket.id}`)}`,
        `Landing ${landing.id}${options.wait ? '' : `  \`airline landing watch ${landing.id}\` follows it.`}`,
      ].join('\n'),
  });
  return options.wait
    ? watchLanding(context, landing.id, { timeoutMs: options.timeout })
    : undefined;
}

/** Says what of an upload may be meant otherwise, who signed it, and what was not checked. */
function tellUploadNotes(
  { notice }: Output,
  { changes, signature }: CheckedUpload,
  series: string,
): void {
  const name = shownPackage(changes);
  if (changes.distribution !== series)
    notice(`${name} was made for ${changes.distribution}; it is built for ${series}.`);
  if (signature?.kind === 'good')
    notice(`${name} is signed by ${signature.by}, key ${shownKey(signature.key)}.`);
  if (signature?.kind === 'unchecked')
    notice(`The signature of ${name} was not checked here: ${signature.why}. The PPA checks it.`);
}

/** The pages of what was made, one under the other. */
function pageLines(
  { page }: Pick<ApiClient, 'page'>,
  ...pages: readonly (readonly [name: string, path: string])[]
): string[] {
  const width = Math.max(...pages.map(([name]) => name.length));
  return pages.map(([name, path]) => `${name.padEnd(width)}  ${page(path)}`);
}
