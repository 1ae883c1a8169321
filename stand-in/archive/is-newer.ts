import { CommandFailed, run } from '../builders/command.ts';

/** Whether one Debian version is greater than another, as dpkg sees it. */
export async function isNewer(version: string, than: string): Promise<boolean> {
  try {
    await run('dpkg', ['--compare-versions', version, 'gt', than], { timeoutMs: 10_000 });
    return true;
  } catch (error) {
    if (error instanceof CommandFailed && error.exitCode === 1) return false;
    throw error;
  }
}
