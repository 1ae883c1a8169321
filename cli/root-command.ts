import { Command, Option } from 'commander';
import { addArtifactCommands } from './commands/artifact.ts';
import { addCatalogueCommands } from './commands/catalogue.ts';
import { addProfileCommands } from './commands/profile.ts';
import { addQueueCommands } from './commands/queue.ts';
import { addBuildCommands } from './commands/build/index.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addImportCommands } from './commands/import.ts';
import { addLandingCommands } from './commands/landing/index.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMergeProposalCommands } from './commands/mergeproposal.ts';
import { addPackageCommands } from './commands/package.ts';
import { addPersonCommands } from './commands/person.ts';
import { addPpaPoolCommands } from './commands/ppapool.ts';
import { addStatusCommand } from './commands/status.ts';
import { addSubmitCommand } from './commands/submit.ts';
import { addSubticketCommands } from './commands/subticket/index.ts';
import { addTicketCommands } from './commands/ticket/index.ts';
import { addTokenCommands } from './commands/token.ts';
import { addWebhookCommands } from './commands/webhook/index.ts';
import { collectWords } from './definition/argument-parsers.ts';
import { describeCommand } from './definition/command-help.ts';
import { addHelpCommand } from './definition/help-command.ts';
import { describeOption, formatHelpEntry, wrapUsage } from './definition/help-layout.ts';
import { EXIT_MEANINGS } from './exit-code.ts';
import type { Runner } from './command-context.ts';

/** The whole command, whose parts do their work by the runner. */
export function createRootCommand(version: string, runner: Runner): Command {
  const program = new Command('airline');
  program
    .description('Submit source packages, build them in a PPA, and follow the builds.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .option('--url <url>', 'the address of the server (or AIRLINE_URL)')
    .option(
      '--profile <name>',
      'a server and token that `airline login` saved (or AIRLINE_PROFILE)',
    )
    .option('--token-file <file>', 'a file with a token, of mode 0600 (or AIRLINE_TOKEN)')
    .option('--json', 'print JSON: one object, or one on each line of a stream')
    .addOption(new Option('-o, --output <form>', 'how to print').choices(['table', 'wide', 'json']))
    .addOption(
      new Option('--columns <names>', 'of a list, only these columns: id,state').argParser(
        collectWords,
      ),
    )
    .option('-q, --quiet', 'print only what a script needs, such as ids')
    .option('--no-color', 'print without colours (or set NO_COLOR)')
    .option('--debug', 'show where an error came from')
    .configureHelp({
      showGlobalOptions: true,
      formatItem: formatHelpEntry,
      optionDescription: describeOption,
      styleUsage(usage) {
        return wrapUsage(usage, this.helpWidth);
      },
    })
    .showSuggestionAfterError(true);
  describeCommand(program, {
    examples: [
      ['airline submit *.changes --ppa ppa:team/landing --series noble --wait', 'build a package'],
      ['airline ticket list', 'open tickets'],
      ['airline build watch 12', 'follow a build to its end'],
      ['airline help build logs', 'how to use a command'],
    ],
    notes: [
      'Exit codes:',
      ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`),
    ],
  });
  addSubmitCommand(program, runner);
  addTicketCommands(program, runner);
  addSubticketCommands(program, runner);
  addArtifactCommands(program, runner);
  addMergeProposalCommands(program, runner);
  addCatalogueCommands(program, runner);
  addBuildCommands(program, runner);
  addLandingCommands(program, runner);
  addQueueCommands(program, runner);
  addPpaPoolCommands(program, runner);
  addStatusCommand(program, runner);
  addPackageCommands(program, runner);
  addImportCommands(program, runner);
  addPersonCommands(program, runner);
  addTokenCommands(program, runner);
  addWebhookCommands(program, runner);
  addLoginCommands(program, runner);
  addProfileCommands(program, runner);
  addHistoryCommands(program, runner);
  addCompletionCommand(program, runner);
  addHelpCommand(program);
  inherit(program);
  return program;
}

/** Commander hands its settings on only to commands that are added after them, by name. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command).helpOption('-h, --help', 'print this');
    if (child.commands.length > 0) addHelpCommand(child);
    inherit(child);
  }
}
