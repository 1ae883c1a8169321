import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import type { Machine } from './machine.ts';

/** What stands beside every figure. */
export type Circumstances = {
  command: string;
  /** RFC 3339, UTC. */
  measuredAt: string;
  commit: string;
  machine: Machine;
  /** Load average of the last minute, before the first and after the last measurement. */
  loadBefore: number;
  loadAfter: number;
};

/** A result for people; notes are paragraphs before the tables. */
export type Report = { title: string; notes: readonly string[]; tables: readonly Table[] };
export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

/**
 * Writes a result as `<name>.json` and, for people, as `<name>.md`, in the project's format.
 *
 * @param report.lines paragraphs before the tables
 */
export async function writeResult(
  directory: string,
  name: string,
  circumstances: Circumstances,
  result: object,
  report: { title: string; lines: readonly string[]; tables: readonly Table[] },
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = async (extension: string, parser: string, text: string) =>
    writeFile(
      join(directory, `${name}.${extension}`),
      await format(text, { parser, printWidth: 100, singleQuote: true }),
    );
  await write('json', 'json', JSON.stringify({ ...circumstances, result }));
  const { machine } = circumstances;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  await write(
    'md',
    'markdown',
    [
      `# ${report.title}`,
      ...report.lines,
      ...report.tables.map(markdownTable),
      [
        `- Command: \`${circumstances.command}\``,
        `- Measured at ${circumstances.measuredAt}, commit ${circumstances.commit}`,
        `- Machine: ${machine.cores} cores of ${machine.cpu}, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB of memory, ${machine.system}`,
        `- Load average of the last minute: ${circumstances.loadBefore} before, ${circumstances.loadAfter} after`,
        `- Versions: ${versions.join(', ')}`,
      ].join('\n'),
    ].join('\n\n'),
  );
}

/** A table as aligned text for the terminal; all columns but the first are flush right. */
export function textTable({ head, rows }: Table): string {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, at) => (at === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n');
}
