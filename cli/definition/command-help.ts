import type { Command } from 'commander';

/** What a command's help and its part of docs/cli.md say beside its options. */
export type CommandDescription = {
  /** Calls as they are typed, each with what it is for. */
  readonly examples: readonly (readonly [call: string, purpose: string])[];
  /** More than the summary says. */
  readonly notes?: readonly string[];
  /** What `--json` prints. */
  readonly json?: string;
  /** What `--quiet` prints; nothing where it is absent. */
  readonly quiet?: string;
};

const descriptions = new WeakMap<Command, CommandDescription>();

/** Gives a command its notes and examples. */
export function describeCommand(command: Command, description: CommandDescription): Command {
  descriptions.set(command, description);
  const { examples, notes = [], json, quiet } = description;
  const more = [
    ...notes,
    ...(json === undefined ? [] : [`--json prints ${json}.`]),
    ...(quiet === undefined ? [] : [`--quiet prints ${quiet}.`]),
  ];
  const width = Math.max(...examples.map(([call]) => call.length));
  const lines = examples.map(([call, purpose]) => `  ${call.padEnd(width)}   # ${purpose}`);
  return command.addHelpText(
    'after',
    `${more.length > 0 ? `\n${more.join('\n')}\n` : ''}\nExamples:\n${lines.join('\n')}`,
  );
}

/** What `describeCommand` was given; undefined for a command that only groups others. */
export function descriptionOf(command: Command): CommandDescription | undefined {
  return descriptions.get(command);
}
