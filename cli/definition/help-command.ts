import type { Command } from 'commander';
import { usageError } from '../command-error.ts';

/** Adds `help` to a command that has others below it. Commander's own takes one word and drops the rest. */
export function addHelpCommand(group: Command): void {
  group
    .helpCommand(false)
    .command('help')
    .description('print the help of a command')
    .argument('[command...]', 'its words')
    .action((words: readonly string[]) => printHelp(group, words));
}

/** @throws CommanderError of the help that is printed, CommandError `usage` where there is no such command */
function printHelp(command: Command, [word, ...more]: readonly string[]): never {
  if (word === undefined) return command.help();
  const child = command.commands.find((one) => one.name() === word);
  if (child) return printHelp(child, more);
  const path = pathOf(command);
  throw usageError(
    `There is no command \`${path} ${word}\`.`,
    `\`${path} --help\` shows what there is.`,
  );
}

/** What a command is called by: `airline build`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
