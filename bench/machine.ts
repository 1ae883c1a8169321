import { readFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { runCommand } from '../main/demo/run-command.ts';

/** What a figure was measured on; nothing that names the machine. */
export type Machine = {
  cpu: string;
  cores: number;
  memoryBytes: number;
  system: string;
  versions: Record<string, string>;
};

/** Describes this machine, and the versions of the programs that are named. */
export async function describeMachine(packages: readonly string[]): Promise<Machine> {
  const processors = cpus();
  const release = await readFile('/etc/os-release', 'utf8');
  const installed = await installedVersions(packages);
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    system: /^PRETTY_NAME="?([^"\n]+)/m.exec(release)?.[1] ?? 'unknown',
    versions: {
      node: process.versions.node,
      ...installed,
    },
  };
}

/** The versions of Debian packages. Of none dpkg-query would tell those of all there are. */
async function installedVersions(packages: readonly string[]): Promise<Record<string, string>> {
  if (packages.length === 0) return {};
  const installed = await runCommand(
    'dpkg-query',
    ['--show', '--showformat', '${Package}\\t${Version}\\n', ...packages],
    { cwd: '/' },
  );
  const lines = installed.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
}

/** The commit that is measured; `+` where files differ from it. */
export async function describeCommit(): Promise<string> {
  const commit = await runCommand('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: import.meta.dirname,
  });
  const changes = await runCommand('git', ['status', '--porcelain', '--untracked-files=no'], {
    cwd: import.meta.dirname,
  });
  return commit.trim() + (changes === '' ? '' : '+');
}

/** Processes that ran or waited to run, averaged over the last minute. */
export function loadOfLastMinute(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
