import type { Argument, Command, Option } from 'commander';

/** A command as completions and the manual need it. */
export type CommandNode = {
  /** `airline build list`. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly command: Command;
  readonly children: readonly CommandNode[];
  readonly arguments: readonly Argument[];
  /** Its own; `--help` and those of the whole program are not among them. */
  readonly options: readonly Option[];
};

/** The command and all below it, without what is hidden. */
export function commandTree(command: Command, above = ''): CommandNode {
  const path = `${above} ${command.name()}`.trim();
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .map((one) => commandTree(one, path));
  return {
    path,
    name: command.name(),
    summary: command.description(),
    command,
    children,
    arguments: command.registeredArguments,
    options: command.options.filter(({ hidden, long }) => !hidden && long !== '--version'),
  };
}

/** The command and all below it, each before those below it. */
export function allCommands(root: CommandNode): CommandNode[] {
  return [root, ...root.children.flatMap(allCommands)];
}
