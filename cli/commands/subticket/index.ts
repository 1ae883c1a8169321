import type { Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { addSetStepCommand } from '../set-step.ts';
import { addSubticketListCommand } from './list.ts';
import { addSubticketShowCommand } from './show.ts';
import { addSubticketCreateCommand } from './create.ts';
import { addSubticketProposeCommand } from './propose.ts';
import { addSubticketBuildCommand } from './build.ts';
import { addSubticketReplaceCommand } from './replace.ts';
import { addSubticketHistoryCommand } from './history.ts';

/** `airline subticket`: the source package uploads of a ticket. */
export function addSubticketCommands(program: Command, runner: Runner): void {
  const subticket = program
    .command('subticket')
    .description('Subtickets: the source package uploads of a ticket.');
  addSubticketListCommand(subticket, runner);
  addSubticketShowCommand(subticket, runner);
  addSubticketCreateCommand(subticket, runner);
  addSubticketProposeCommand(subticket, runner);
  addSubticketBuildCommand(subticket, runner);
  addSubticketReplaceCommand(subticket, runner);
  addSubticketHistoryCommand(subticket, runner);
  addSetStepCommand(subticket, runner, 'subticket', {
    description: 'Move a subticket to a step and give it the same status. Its ticket may follow.',
    examples: [
      ["airline subticket set-step 9 failed --reason 'does not build'", 'fails its ticket, too'],
      [
        "airline subticket set-step 9 100 --status 999 --reason 'not wanted'",
        'a merge has failed it: no later one is to mend it',
      ],
    ],
  });
}
