import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { moveToBuilding, requestBuild, sourcesOfTicket } from '../../builds/request-build.ts';
import { buildRequestError } from '../../builds/unanswered-request.ts';
import { checkTarget } from '../../builds/check-target.ts';
import { collectWords, parseId, REPEATABLE } from '../../definition/argument-parsers.ts';
import { addTargetOptions, type TargetOptions } from '../../definition/target-options.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import { orderOption, type OrderOption } from '../../definition/order-option.ts';
import { watchBuild } from '../../builds/watch-build.ts';

/** Adds `airline build request`. */
export function addBuildRequestCommand(build: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      addTargetOptions(
        build
          .command('request')
          .description('Request a build of the source packages of a ticket, or of URLs.')
          .argument('<ticket>', 'the id of the ticket', parseId('ticket')),
      )
        .option(
          '--source <url>',
          `the URL of a file of a source package, instead of those of the ticket ${REPEATABLE}`,
          collectWords,
        )
        .option('--queue <name>', 'the progress queue (default: airline-cli-ticket-<id>)')
        .option(
          '--webhook <id>',
          'the id of a webhook to notify instead of a queue',
          parseId('webhook'),
        )
        .option('--cancel-url <url>', 'a URL that tells whether the build is still wanted')
        .addOption(orderOption()),
      'the build has ended',
    ).action(
      runner.remote(
        async (
          context,
          ticketId: number,
          options: WaitForEndOptions &
            OrderOption &
            TargetOptions & {
              source?: string[];
              queue?: string;
              webhook?: number;
              cancelUrl?: string;
            },
        ) => {
          const { api } = context;
          const { archive } = await checkTarget(options);
          const urls = options.source ?? (await sourcesOfTicket(api, ticketId));
          const made = await requestBuild(api, { ...options, archive, ticketId, urls }).catch(
            (error: unknown) => {
              throw buildRequestError(error, `airline build list --ticket ${ticketId}`);
            },
          );
          await moveToBuilding(context, made);
          await showRequested(context, made);
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
          'and wait for the build',
        ],
      ],
      notes: [
        'Where the ticket and the subtickets that are built are still Queued, they are moved to Package Building.',
      ],
      json: 'the build; with --wait it comes first, then every event on a line',
      quiet: 'the id of the build',
    },
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
