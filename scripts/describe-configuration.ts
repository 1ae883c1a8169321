import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { VARIABLES, type Config, type VariableMeta } from '../main/config/config.ts';
import { markdownTable } from './markdown-table.ts';

// Writes docs/configuration.md to standard output; `npm run docs:configuration` keeps it.

type Name = keyof Config;
type Group = { title: string; names: Name[] };

const INTRODUCTION = `# Configuration

Every process reads its configuration from the environment, once, when it starts (\`main/config/config.ts\`). A variable that is
unset or empty takes its default. A value that does not fit, or an unknown name that begins with \`AIRLINE_\`, stops the
start with one line for each such variable.

This page is made by \`npm run docs:configuration\`; a test fails when it is out of step.`;

const DURATIONS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];
const SIZES: [number, string][] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

/** The groups are those of the schema's source: a comment line opens one, the variables follow. */
function groupsOf(source: string): Group[] {
  const schema = source.slice(source.indexOf('VARIABLES = z.object({'));
  const groups: Group[] = [];
  for (const [, title, name] of schema.matchAll(/^ {2}(?:\/\/ (.+)|(AIRLINE_\w+):)/gm)) {
    if (title !== undefined) groups.push({ title, names: [] });
    else groups.at(-1)?.names.push(name as Name);
  }
  const found = groups.flatMap(({ names }) => names);
  const missing = Object.keys(VARIABLES.shape).filter((name) => !found.includes(name as Name));
  if (missing.length > 0)
    throw new Error(`No comment in main/config/config.ts opens a group for ${missing.join(', ')}.`);
  return groups;
}

function defaultOf(name: Name, unit: VariableMeta['unit']): string {
  const value = VARIABLES.parse({})[name];
  if (value === undefined) return 'unset';
  if (typeof value === 'string') {
    const home = `${homedir()}/`;
    return code(value.startsWith(home) ? `~/${value.slice(home.length)}` : value);
  }
  const scale = unit === 'ms' ? DURATIONS : unit === 'bytes' ? SIZES : [];
  const [size, sign] = scale.find(([most]) => value % most === 0) ?? [];
  return size === undefined ? code(value) : `${code(value)} (${value / size} ${sign})`;
}

function code(value: string | number): string {
  return `\`${value}\``;
}

/** Descriptions are plain text: what Markdown would take for markup is escaped. */
function escapeMarkdown(text: string): string {
  return text.replace(/[<|*]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`));
}

const source = readFileSync(new URL('../main/config/config.ts', import.meta.url), 'utf8');
const sections = groupsOf(source).map(({ title, names }) => {
  const rows = names.map((name) => {
    const { unit, description } = VARIABLES.shape[name].meta() as VariableMeta;
    return [code(name), defaultOf(name, unit), unit, escapeMarkdown(description)];
  });
  return `## ${title}\n\n${markdownTable([['variable', 'default', 'unit', 'description'], ...rows])}`;
});
console.log([INTRODUCTION, ...sections].join('\n\n'));
