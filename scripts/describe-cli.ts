import type { Argument, Option } from 'commander';
import { allCommands, type CommandNode } from '../cli/definition/command-tree.ts';
import { descriptionOf } from '../cli/definition/command-help.ts';
import { EXIT_MEANINGS } from '../cli/exit-code.ts';
import { describedCommand } from './described-command.ts';
import { escapeCell, markdownTable } from './markdown-table.ts';

// Writes docs/cli.md to standard output; `npm run docs:cli` keeps it.

const INTRODUCTION = `# The command

\`airline\` submits source packages, requests builds, follows them and says why they fail. It is a client of the
[API](api.md) and of nothing else. In the clone it is \`npx airline\`; after \`npm ci\`, \`npm install -g .\`
puts it on the PATH. Without a clone there are three ways; each needs Node 20.19 or newer:

- **One file** from any server of Airline:
  \`curl -fo airline https://airline.example/airline.mjs && chmod +x airline\`.
- **npm**: \`npm run package:cli\` in a clone makes \`dist/packages/airline-cli-<version>.tgz\`, with the manual pages
  and the completions; \`npm install -g ./airline-cli-<version>.tgz\` installs it anywhere.
- **Debian**: the same makes the source package \`airline-cli_<version>.dsc\`, which \`sbuild\`, or Airline itself,
  builds for all architectures: \`airline(1)\`, \`airline-build(1)\` and their neighbours, and completion for bash and
  zsh. Debian trixie is the first with a Node that is new enough.

Take the command of a new version once the server has that version: the command does not know older servers.

\`npm run deb:check\` sees that the Debian package holds, before a release: an Airline of its own, with its worker and
its PPA, builds it with \`sbuild\`; a bare Debian trixie made for it (\`mmdebstrap\`, minbase) installs what came out
with \`apt-get\`, uses the command, its manual pages and its completions, and removes all of it. It ends with 0 if all
of that held. It needs a Debian with a mirror, and takes a minute and a half or more. It was last run on
2026-11-23, with version 0.2.0, and all of it held.

\`airline --help\` and \`airline <command> --help\` say the same. This page is made by
\`npm run docs:cli\`; a test fails when it is out of date.`;

const SERVERS = `## Servers and tokens

What the command line says comes before the environment variables, and these come before what is saved. The first of
these that is given counts:

- the profile: \`--profile\`, AIRLINE_PROFILE, that of the last \`airline login\`;
- the server: \`--url\`, AIRLINE_URL, that of the profile, that of \`npm start\` on this machine (\`http://127.0.0.1:8080\`);
- the token: the file of \`--token-file\`, AIRLINE_TOKEN, that of the profile, which is sent to the profile's server only.

With \`--profile\`, neither AIRLINE_URL nor AIRLINE_TOKEN counts: the server and the token are those of that profile,
unless \`--url\` or \`--token-file\` gives another one. \`airline login --profile\` alone reads AIRLINE_URL for a profile that
is new.

The command connects to that server itself: it follows neither HTTP_PROXY nor HTTPS_PROXY. Where the server's
certificate is signed by an authority of your own, set NODE_EXTRA_CA_CERTS to a file with that authority's certificate.

\`airline login\` keeps servers in \`~/.config/airline/config.json\` and tokens in \`tokens.json\` beside it, or in
\`$XDG_CONFIG_HOME/airline\` if that is set. It refuses a file with a token that others can read or write. A call that is
given both a server and a token needs none of these files, and no home: AIRLINE_URL and AIRLINE_TOKEN are enough in a
container.`;

const FILES = [
  ['file', 'content'],
  ['`config.json`', '`{"current_profile": "work", "profiles": {"work": {"url": "https://…"}}}`'],
  ['`tokens.json`', '`{"work": {"url": "https://…", "token": "…"}}`, mode 0600'],
];

const OUTPUT = `## What it prints

Results go to standard output, everything else to standard error.

- For people: aligned columns and times as seen from now. On a terminal, lines are cut to its width, and there are
  colours, unless \`--no-color\` or NO_COLOR is given. \`-o wide\` shows more columns and cuts nothing.
- \`--json\` (or \`-o json\`): each line is one JSON document with the names of the API; a stream has one object on each
  line. An error is \`{"error": {"code", "message", "hint", "details", "exit"}}\` on standard error. New fields may come;
  none is ever renamed or dropped.
- \`--quiet\`: only what a script needs, such as an id on each line, and no notices. With \`--json\`: its documents, and
  no notices.

Only \`--debug\` shows where in the code an error came from.`;

const FOLLOWING = `## Following

\`build watch\`, \`build events --follow\` and every \`--wait\` for a build read a stream of events. When they lose the
connection, they say so on standard error, try again with growing pauses, and go on after the last event that they
showed: no event is lost or comes twice. They give up after about a quarter of an hour without a server, or after a few
tries if no server has answered at all, and end with 6. \`ticket watch\`, \`landing watch\` and the \`--wait\` for a
landing do the same, but ask the server every two seconds. Ctrl-C ends the command, not the build or the landing, and
says how to come back and how to cancel.`;

const tree = describedCommand('');
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
    ...(json === undefined ? [] : [`\`--json\` prints ${escapeCell(json)}.`]),
    ...(quiet === undefined ? [] : [`\`--quiet\` prints ${escapeCell(quiet)}.`]),
  ];
  return [
    `### ${node.path}`,
    node.summary,
    ...(notes.length > 0 ? [notes.map(escapeCell).join('\n')] : []),
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
  return [`\`${option.flags}\``, escapeCell(text)];
}

function shown(argument: Argument): string {
  return `<${argument.name()}${argument.variadic ? '...' : ''}>`;
}
