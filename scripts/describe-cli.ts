import type { Argument, Option } from 'commander';
import { allCommands, commandTree, type CommandNode } from '../cli/definition/command-tree.ts';
import { descriptionOf } from '../cli/definition/command-help.ts';
import { EXIT_MEANINGS } from '../cli/exit-code.ts';
import type { Runner } from '../cli/command-context.ts';
import { createRootCommand } from '../cli/root-command.ts';
import { markdownTable } from './markdown-table.ts';

// Writes docs/cli.md to standard output; `npm run docs:cli` keeps it.

const INTRODUCTION = `# The command

\`airline\` submits source packages, requests builds, follows them and says why they fail. It is a client of the
[API](api.md) and of nothing else. In the clone it is \`npx airline\`; after \`npm ci\`, \`npm install -g .\`
puts it on the PATH.

\`airline --help\` and every \`airline <command> --help\` say what this page says. It is made of the commands by
\`npm run docs:cli\`; a test fails when it is out of step.`;

const SERVERS = `## Servers and tokens

A server is named by \`--url\`, else by AIRLINE_URL, else by the profile, else it is the one of \`npm start\` on this
machine, \`http://127.0.0.1:8080\`. The profile is \`--profile\`, else AIRLINE_PROFILE, else the one of the last
\`airline login\`. The token is in the file of \`--token-file\`, else in AIRLINE_TOKEN, else it is the one of the profile,
which is sent to the profile's server only.

\`airline login\` keeps servers in \`~/.config/airline/config.json\` and tokens in \`tokens.json\` beside it
(\`$XDG_CONFIG_HOME/airline\` where that is set). A file with a token that others can read or write is refused.`;

const FILES = [
  ['file', 'content'],
  ['`config.json`', '`{"current_profile": "work", "profiles": {"work": {"url": "https://…"}}}`'],
  ['`tokens.json`', '`{"work": {"url": "https://…", "token": "…"}}`, mode 0600'],
];

const OUTPUT = `## What it prints

Results go to standard output, everything else to standard error.

- For people: aligned columns, cut to the width of a terminal (\`-o wide\` cuts nothing and shows more of them; a pipe gets
  all of each), times as seen from now, colours on a terminal only and not with \`--no-color\` or NO_COLOR.
- \`--json\` (or \`-o json\`): each line is one JSON document, with the names of the API. A stream is an object on each line.
  An error is \`{"error": {"code", "message", "hint", "details", "exit"}}\` on standard error. Fields may be added, and are
  never renamed or dropped.
- \`--quiet\`: only what a script needs, such as an id on each line, and no notices.

A stack is shown with \`--debug\` only.`;

const FOLLOWING = `## Following

\`build watch\`, \`build events --follow\` and every \`--wait\` read a stream of events. When the connection is lost, because
the network goes or the server restarts, they say so on standard error, come back with a growing pause and go on after the
last event they showed: none is lost, none comes twice. After about a quarter of an hour without a server they give up and
end with 6; where no server has answered yet, after a few tries. \`ticket watch\` does the same. Ctrl-C ends the command,
not the build, and says how to come back and how to cancel.`;

const never: Runner = {
  local: () => async () => undefined,
  remote: () => async () => undefined,
};
const tree = commandTree(createRootCommand('', never));
const exitCodes = EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]);

console.log(
  [
    INTRODUCTION,
    SERVERS,
    markdownTable(FILES),
    OUTPUT,
    FOLLOWING,
    '## How it ends',
    markdownTable([['code', 'meaning'], ...exitCodes]),
    '## Options of every command',
    optionTable(tree.options),
    '## Commands',
    ...allCommands(tree)
      .slice(1)
      .flatMap((node) => (node.children.length > 0 ? [] : describe(node))),
  ].join('\n\n'),
);

function describe(node: CommandNode): string[] {
  const { examples = [], notes = [], json, quiet } = descriptionOf(node.command) ?? {};
  const operands = [
    ...node.arguments.map((one) => [`\`${shown(one)}\``, one.description]),
    ...node.options.map(describeOption),
  ];
  const printed = [
    ...(json === undefined ? [] : [`\`--json\` prints ${escapeMarkdown(json)}.`]),
    ...(quiet === undefined ? [] : [`\`--quiet\` prints ${escapeMarkdown(quiet)}.`]),
  ];
  return [
    `### ${node.path}`,
    node.summary,
    ...(notes.length > 0 ? [notes.map(escapeMarkdown).join('\n')] : []),
    ...(operands.length > 0 ? [table(operands)] : []),
    ...(printed.length > 0 ? [printed.join(' ')] : []),
    ['```sh', ...examples.map(([call, purpose]) => `${call} # ${purpose}`), '```'].join('\n'),
  ];
}

function optionTable(options: readonly Option[]): string {
  return table(options.map(describeOption));
}

function table(rows: readonly (readonly string[])[]): string {
  return markdownTable([['', 'what it is'], ...rows]);
}

function describeOption(option: Option): string[] {
  const more = [
    ...(option.mandatory ? ['required'] : []),
    ...(option.argChoices ? [option.argChoices.join(', ')] : []),
    ...(option.defaultValue === undefined || typeof option.defaultValue === 'boolean'
      ? []
      : [`default: ${option.defaultValueDescription ?? String(option.defaultValue)}`]),
  ];
  const text = `${option.description}${more.length > 0 ? ` (${more.join('; ')})` : ''}`;
  return [`\`${option.flags}\``, escapeMarkdown(text)];
}

function shown(argument: Argument): string {
  return `<${argument.name()}${argument.variadic ? '...' : ''}>`;
}

/** What stands in `<>` is no HTML, and what Markdown would take for its own is not. */
function escapeMarkdown(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[|*<>]/g, '\\$&')))
    .join('');
}
