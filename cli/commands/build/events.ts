import type { Command } from 'commander';
import type { ProgressMessage } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addTimeoutOption } from '../../definition/wait-options.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { parseCount, parseId } from '../../definition/argument-parsers.ts';
import { describeEvent, watchBuild } from '../../builds/watch-build.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline build events`. */
export function addBuildEventsCommand(build: Command, runner: Runner): void {
  describeCommand(
    addTimeoutOption(
      build
        .command('events')
        .description('Print the events of a build, in order.')
        .argument('<build>', 'its id', parseId('build'))
        .option('--after <seq>', 'those after this one', parseCount, 0)
        .option('-f, --follow', 'go on until the build has ended'),
      'follow',
    ).action(
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
