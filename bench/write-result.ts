import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { format } from 'prettier';
import { runCommand } from '../main/demo/run-command.ts';
import { describe, type Result } from './report.ts';

/**
 * Writes a result as `<name>.json` and, for people, as `<name>.md`, in the project's format and with what was measured
 * where: commit, machine (nothing that names it), load, and versions.
 *
 * @param command what measures it again
 * @param packages Debian packages whose versions matter
 * @param commit that was measured, as `describeCommit` told it before the measurement
 * @param loadBefore load average of the last minute before the measurement
 */
export async function writeResult(
  directory: string,
  name: string,
  {
    command,
    packages,
    commit,
    loadBefore,
  }: { command: string; packages: readonly string[]; commit: string; loadBefore: number },
  result: Result,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = async (extension: string, parser: string, text: string) =>
    writeFile(
      join(directory, `${name}.${extension}`),
      await format(text, { parser, printWidth: 100, singleQuote: true }),
    );
  const measuredAt = new Date().toISOString();
  const system = await systemName();
  const versions = { node: process.versions.node, ...(await installedVersions(packages)) };
  const [{ model: cpu } = { model: 'unknown' }] = cpus();
  const machine = { cpu, cores: cpus().length, memoryBytes: totalmem(), system, versions };
  const loadAfter = loadOfLastMinute();
  const circumstances = { command, measuredAt, commit, machine, loadBefore, loadAfter };
  await write('json', 'json', JSON.stringify({ ...circumstances, ...result }));
  const memory = `${Math.round(machine.memoryBytes / 2 ** 30)} GiB of memory`;
  await write(
    'md',
    'markdown',
    `${describe(result, '# ')}

- Command: \`${command}\`
- Measured at ${measuredAt}, commit ${commit}
- Machine: ${machine.cores} cores of ${cpu}, ${memory}, ${system}
- Load average of the last minute: ${loadBefore} before, ${loadAfter} after
- Versions: ${Object.entries(versions)
      .map((one) => one.join(' '))
      .join(', ')}`,
  );
}

/** Processes that ran or waited to run, averaged over the last minute. */
export function loadOfLastMinute(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

async function systemName(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8');
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(release)?.[1] ?? 'unknown';
}

/** The versions of Debian packages. Without a name, dpkg-query would list every package. */
async function installedVersions(packages: readonly string[]): Promise<Record<string, string>> {
  if (packages.length === 0) return {};
  const show = ['--show', '--showformat', '${Package}\\t${Version}\\n', ...packages];
  const lines = (await runCommand('dpkg-query', show, { cwd: '/' })).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
}

/** The commit that is here now; `+` where files differ from it. A long measurement may outlast it. */
export async function describeCommit(): Promise<string> {
  const git = (...args: string[]) => runCommand('git', args, { cwd: import.meta.dirname });
  const commit = await git('rev-parse', '--short=12', 'HEAD');
  const changes = await git('status', '--porcelain', '--untracked-files=no');
  return commit.trim() + (changes === '' ? '' : '+');
}
