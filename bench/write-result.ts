import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import type { Machine } from './machine.ts';
import { describe, type Result } from './report.ts';

/** What stands beside every figure. */
type Circumstances = {
  command: string;
  /** RFC 3339, UTC. */
  measuredAt: string;
  commit: string;
  machine: Machine;
  /** Load average of the last minute, before the first and after the last measurement. */
  loadBefore: number;
  loadAfter: number;
};

/** Writes a result as `<name>.json` and, for people, as `<name>.md`, in the project's format. */
export async function writeResult(
  directory: string,
  name: string,
  circumstances: Circumstances,
  result: Result,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = async (extension: string, parser: string, text: string) =>
    writeFile(
      join(directory, `${name}.${extension}`),
      await format(text, { parser, printWidth: 100, singleQuote: true }),
    );
  await write('json', 'json', JSON.stringify({ ...circumstances, ...result }));
  const { machine, command, measuredAt, commit, loadBefore, loadAfter } = circumstances;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  await write(
    'md',
    'markdown',
    `${describe(result, '# ')}

- Command: \`${command}\`
- Measured at ${measuredAt}, commit ${commit}
- Machine: ${machine.cores} cores of ${machine.cpu}, ${Math.round(machine.memoryBytes / 2 ** 30)} GiB of memory, ${machine.system}
- Load average of the last minute: ${loadBefore} before, ${loadAfter} after
- Versions: ${versions.join(', ')}`,
  );
}
