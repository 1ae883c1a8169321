import { homedir } from 'node:os';
import { LOCAL_PPA_DEFAULTS } from '../main/embedded/environment.ts';
import { SECTIONS, settingsOf } from '../main/config/sections.ts';
import type { Setting } from '../main/config/setting.ts';
import { escapeCell, markdownTable } from './markdown-table.ts';

// Writes docs/configuration.md to standard output; `npm run docs:configuration` keeps it.

const INTRODUCTION = `# Configuration

Every process reads its configuration once, when it starts, from the environment (\`main/config/\`). A variable that is
unset or empty takes its default; where it has a _local_ one, too, that is what \`npm start\` and \`npm run demo\` take
with the local PPA. A process with a wrong value, or with an unknown variable that begins with \`AIRLINE_\`, does not
start; it prints one line for each of them. \`AIRLINE_URL\` and \`AIRLINE_PROFILE\` are settings of
[the command](cli.md), which no process refuses.

This page is made by \`npm run docs:configuration\`; a test fails when it is out of date.`;

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

const LOCAL: Readonly<Record<string, string | undefined>> = LOCAL_PPA_DEFAULTS;

function defaultsOf({ variable, default: value, unit }: Setting): string {
  const local = LOCAL[variable];
  const shown = shownDefault(value, unit);
  return local === undefined ? shown : `${shown}, local ${shownDefault(Number(local), unit)}`;
}

function shownDefault(value: Setting['default'], unit: string): string {
  if (value === undefined) return 'unset';
  if (typeof value === 'string') {
    const home = `${homedir()}/`;
    return code(value.startsWith(home) ? `~/${value.slice(home.length)}` : value);
  }
  const scale = unit === 'ms' ? DURATIONS : unit === 'bytes' ? SIZES : [];
  const [size, sign] = scale.find(([most]) => value > 0 && value % most === 0) ?? [];
  return size === undefined ? code(value) : `${code(value)} (${value / size} ${sign})`;
}

function code(value: string | number): string {
  return `\`${value}\``;
}

const sections = SECTIONS.map((section) => {
  const rows = settingsOf(section).map(({ setting }) => [
    code(setting.variable),
    defaultsOf(setting),
    setting.unit,
    escapeCell(setting.description),
  ]);
  return `## ${section.title}\n\n${markdownTable([['variable', 'default', 'unit', 'description'], ...rows])}`;
});
console.log([INTRODUCTION, ...sections].join('\n\n'));
