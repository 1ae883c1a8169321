import { commandTree, type CommandNode } from '../cli/definition/command-tree.ts';
import { createRootCommand } from '../cli/root-command.ts';

/** The command and all its subcommands, for what describes them: none of them runs. */
export function describedCommand(version: string): CommandNode {
  const runsNothing = () => async () => undefined;
  return commandTree(createRootCommand(version, { local: runsNothing, remote: runsNothing }));
}
