import type { Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import { landingPath, lastLandingEvent, watchLanding } from '../../landings/watch-landing.ts';

/** Adds `airline landing retry`. */
export function addLandingRetryCommand(landing: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      landing
        .command('retry')
        .description('Land again what failed or was cancelled, as one more attempt.')
        .argument('<landing>', 'its id', parseId('landing')),
      'the attempt has ended',
    ).action(
      runner.remote(async (context, id: number, { wait, timeout }: WaitForEndOptions) => {
        const { api, out } = context;
        const after = wait ? await lastLandingEvent(context, id) : 0;
        const shown = await api.write<Landing>('POST', `${landingPath(id)}retry/`);
        await out.show({
          json: shown,
          quiet: shown.attempt,
          human: () => `Landing ${id} is retried: attempt ${shown.attempt}.`,
        });
        return wait ? watchLanding(context, id, { after, timeoutMs: timeout }) : undefined;
      }),
    ),
    {
      examples: [['airline landing retry 7 --wait', 'try again, and wait for it']],
      notes: [
        'What is built stays built, what is published stays published. It goes to the end of the line, and a person approves it anew.',
      ],
      json: 'the landing; with --wait it comes first, then every event on a line',
      quiet: 'the number of the attempt',
    },
  );
}
