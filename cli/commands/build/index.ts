import type { Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { addBuildListCommand } from './list.ts';
import { addBuildShowCommand } from './show.ts';
import { addBuildRequestCommand } from './request.ts';
import { addBuildWatchCommand } from './watch.ts';
import { addBuildEventsCommand } from './events.ts';
import { addBuildWhyCommand } from './why.ts';
import { addBuildDownloadCommand } from './download.ts';
import { addBuildOpenCommand } from './open.ts';
import { addBuildLogsCommand } from './logs.ts';
import { addBuildCancelCommand } from './cancel.ts';
import { addBuildRetryCommand } from './retry.ts';

/** `airline build`: requests of builds, and what becomes of them. */
export function addBuildCommands(program: Command, runner: Runner): void {
  const build = program.command('build').description('Builds of source packages in a PPA.');
  addBuildListCommand(build, runner);
  addBuildShowCommand(build, runner);
  addBuildRequestCommand(build, runner);
  addBuildWatchCommand(build, runner);
  addBuildEventsCommand(build, runner);
  addBuildWhyCommand(build, runner);
  addBuildLogsCommand(build, runner);
  addBuildDownloadCommand(build, runner);
  addBuildOpenCommand(build, runner);
  addBuildCancelCommand(build, runner);
  addBuildRetryCommand(build, runner);
}
