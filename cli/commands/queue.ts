import type { Command } from 'commander';
import type { Build, ProgressMessage } from '../../api/openapi/contract.generated.ts';
import { describeCommand } from '../definition/command-help.ts';
import { addTimeoutOption } from '../definition/wait-options.ts';
import { describeEvent } from '../builds/watch-build.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandContext, Runner } from '../command-context.ts';
import { pollUntil } from '../server/poll-until.ts';
import type { Page } from '../server/api-client.ts';

/** Of the builds that report to a queue, the latest. */
const MAX_BUILDS = 50;
const INTERVAL_MS = 2_000;

const OF_LANDINGS =
  'The messages of a landing itself are not shown: `airline landing watch` shows them.';

type TailOptions = { follow?: boolean; timeout?: number };

/** `airline queue`: what builds report to a progress queue. */
export function addQueueCommands(program: Command, runner: Runner): void {
  const queue = program.command('queue').description('What builds report to a progress queue.');
  describeCommand(
    addTimeoutOption(
      queue
        .command('tail')
        .description('Print what builds report to a progress queue, without taking it from there.')
        .argument('<queue>', 'its name')
        .option('-f, --follow', 'go on with what comes'),
      'follow',
    ).action(
      runner.remote(async (context, name: string, options: TailOptions) => {
        const seen: Seen = new Map();
        if (!options.follow) {
          await printNew(context, name, seen, {});
          if (seen.size === 0)
            context.out.notice(`No build reports to the queue ${name}. ${OF_LANDINGS}`);
          return EXIT.done;
        }
        return pollUntil(
          context,
          {
            intervalMs: INTERVAL_MS,
            timeoutMs: options.timeout,
            place: () => `${[...seen.values()].reduce((sum, { seq }) => sum + seq, 0)} messages`,
            resumeHint: `\`airline queue tail ${name} --follow\` comes back to it.`,
          },
          async ({ once, restored }) => {
            await printNew(context, name, seen, once);
            restored();
            return undefined;
          },
        );
      }),
    ),
    {
      examples: [
        ['airline queue tail airline-cli-ticket-7', 'what the lander was told of a ticket'],
        ['airline queue tail lander --follow --json', 'and what it is told from now on'],
      ],
      notes: [
        `The messages come from the records of the latest ${MAX_BUILDS} builds that report to the queue: each is a row before it`,
        'is sent, and whoever reads the queue still gets it.',
        OF_LANDINGS,
      ],
      json: 'every message on a line, as the progress queue has it',
    },
  );
}

/** How far the messages of builds were read: the last `seq`, and the attempt whose messages have all come. */
type Seen = Map<number, { seq: number; readAttempt: number | undefined }>;

async function printNew(
  { api, out }: CommandContext,
  name: string,
  seen: Seen,
  once: Parameters<CommandContext['api']['get']>[2],
): Promise<void> {
  const { objects: builds } = await api.get<Page<Build>>(
    '/api/v1/build/',
    { progress_trigger: name, order_by: '-id', limit: MAX_BUILDS },
    once,
  );
  for (const { id, attempt, finished_at: finishedAt } of builds.toReversed()) {
    let { seq: after, readAttempt } = seen.get(id) ?? { seq: 0, readAttempt: undefined };
    // Nothing more comes of it before it is retried.
    if (readAttempt === attempt) continue;
    for (let isRead = false; !isRead;) {
      const page = await api.get<Page<ProgressMessage>>(
        `/api/v1/build/${id}/events/`,
        { after },
        once,
      );
      for (const message of page.objects)
        out.entry(
          message,
          () => `build ${id} #${message.seq}  ${describeEvent(message, out.colour)}`,
        );
      after = page.objects.at(-1)?.seq ?? after;
      isRead = page.meta.next === null || page.objects.length === 0;
      if (isRead && finishedAt !== null) readAttempt = attempt;
      seen.set(id, { seq: after, readAttempt });
    }
  }
}
