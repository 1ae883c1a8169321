import type { Command } from 'commander';
import { DEFAULT_COLUMNS } from '../output/terminal-width.ts';
import { wrapText } from '../output/wrap-text.ts';

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
    ...paragraphs(notes),
    ...(json === undefined ? [] : [`--json prints ${json}.`]),
    ...(quiet === undefined ? [] : [`--quiet prints ${quiet}.`]),
  ];
  return command.addHelpText('after', ({ command: shown }) => {
    const width = shown.configureOutput().getOutHelpWidth?.() ?? DEFAULT_COLUMNS;
    const said = more.map((one) => wrapText(one, width));
    return [
      ...(said.length > 0 ? ['', ...said] : []),
      '',
      'Examples:',
      ...exampleLines(examples, width),
    ].join('\n');
  });
}

/** Notes are written as lines: one that is indented, or ends with a colon, stands by itself; the others flow on. */
function paragraphs(notes: readonly string[]): string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const note of notes) {
    if (isOpen && !note.startsWith(' ')) found.push(`${found.pop() ?? ''} ${note}`);
    else found.push(note);
    isOpen = !note.startsWith(' ') && !note.endsWith(':');
  }
  return found;
}

/** Each call with its purpose beside it; where that is too wide for one of them, above each. */
function exampleLines(examples: CommandDescription['examples'], width: number): string[] {
  const longest = Math.max(...examples.map(([call]) => call.length));
  const beside = examples.map(([call, purpose]) => `  ${call.padEnd(longest)}   # ${purpose}`);
  if (beside.every((line) => line.length <= width)) return beside;
  return examples.flatMap(([call, purpose]) => [
    wrapText(`  # ${purpose}`, width, '  # '),
    // What is copied from the terminal is one call.
    wrapText(`  ${call}`, width - ' \\'.length, '      ').replaceAll('\n', ' \\\n'),
  ]);
}

/** What `describeCommand` was given; undefined for a command that only groups others. */
export function descriptionOf(command: Command): CommandDescription | undefined {
  return descriptions.get(command);
}
