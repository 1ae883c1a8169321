import type { Command } from 'commander';
import type { Landing } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { landingPath } from '../../landings/watch-landing.ts';

/** Adds `airline landing pause` and `airline landing resume`. */
export function addLandingPauseCommands(landing: Command, runner: Runner): void {
  const add = (name: 'pause' | 'resume', description: string, becomes: string) =>
    landing
      .command(name)
      .description(description)
      .argument('<landing>', 'its id', parseId('landing'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.write<Landing>('POST', `${landingPath(id)}${name}/`);
          await out.show({ json: shown, human: () => `Landing ${id} ${becomes}` });
          return undefined;
        }),
      );
  describeCommand(
    add(
      'pause',
      'Pause a landing: it begins nothing new until it is resumed.',
      'is paused: what runs goes on, and nothing new begins.',
    ),
    {
      examples: [['airline landing pause 7', 'hold it back']],
      notes: ['Once copies are sent to the target it is too late: the call ends with 5.'],
      json: 'the landing',
    },
  );
  describeCommand(add('resume', 'Resume a landing that is paused.', 'goes on.'), {
    examples: [['airline landing resume 7', 'let it go on']],
    notes: [],
    json: 'the landing',
  });
}
