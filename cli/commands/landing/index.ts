import type { Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { addLandingCancelCommand } from './cancel.ts';
import { addLandingDecisionCommands } from './decide.ts';
import { addLandingListCommand } from './list.ts';
import { addLandingLogCommand } from './log.ts';
import { addLandingOverrideCommand } from './override.ts';
import { addLandingPauseCommands } from './pause.ts';
import { addLandingPolicyCommand } from './policy.ts';
import { addLandingRetryCommand } from './retry.ts';
import { addLandingShowCommand } from './show.ts';
import { addLandingTestsCommand } from './tests.ts';
import { addLandingWatchCommand } from './watch.ts';

/** `airline landing`: tickets on their way into a target, and what people decide of them. */
export function addLandingCommands(program: Command, runner: Runner): void {
  const landing = program
    .command('landing')
    .description('Tickets on their way into a target. `airline ticket land` requests one.');
  addLandingListCommand(landing, runner);
  addLandingShowCommand(landing, runner);
  addLandingWatchCommand(landing, runner);
  addLandingPolicyCommand(landing, runner);
  addLandingTestsCommand(landing, runner);
  addLandingLogCommand(landing, runner);
  addLandingDecisionCommands(landing, runner);
  addLandingOverrideCommand(landing, runner);
  addLandingPauseCommands(landing, runner);
  addLandingCancelCommand(landing, runner);
  addLandingRetryCommand(landing, runner);
}
