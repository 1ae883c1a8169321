import type { Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { addWaitOptions, type WaitForEndOptions } from '../../definition/wait-options.ts';
import { EXIT } from '../../exit-code.ts';
import {
  landingPath,
  lastLandingEvent,
  tellLandingEnd,
  watchLandingToEnd,
} from '../../landings/watch-landing.ts';

/** Adds `airline landing cancel`. */
export function addLandingCancelCommand(landing: Command, runner: Runner): void {
  describeCommand(
    addWaitOptions(
      landing
        .command('cancel')
        .description('Cancel a landing that is not being published yet.')
        .argument('<landing>', 'its id', parseId('landing')),
      'it has ended',
    ).action(
      runner.remote(async (context, id: number, { wait, timeout }: WaitForEndOptions) => {
        const { api, out } = context;
        const after = wait ? await lastLandingEvent(context, id) : 0;
        const shown = await api.write<Landing>('POST', `${landingPath(id)}cancel/`);
        await out.show({
          json: shown,
          human: () => `Landing ${id} is being cancelled. Its builds are stopped first.`,
        });
        if (!wait) return undefined;
        const ended = await watchLandingToEnd(context, id, {
          after,
          timeoutMs: timeout,
          resumeHint: `Landing ${id} is being cancelled. \`airline landing watch ${id}\` comes back to it.`,
        });
        await tellLandingEnd(context, ended);
        return ended.phase === 'cancelled' ? EXIT.done : EXIT.failed;
      }),
    ),
    {
      examples: [
        ['airline landing cancel 7', 'ask for it'],
        [
          'airline landing cancel 7 --wait',
          'exits with 0 if it was cancelled, with 1 if it ended in another way',
        ],
      ],
      notes: ['Once copies are sent to the target it is too late: the call ends with 5.'],
      json: 'the landing; with --wait it comes first, then every event on a line',
    },
  );
}
