import { run } from './command.ts';

const TIMEOUT_MS = 600_000;

/**
 * Deletes a file or folder with all that is in it, if it is there. Node's own `rm` lists everything in memory first,
 * and stops the process meanwhile: of what strangers wrote, that may be millions of files.
 *
 * @param signal ends it
 * @throws CommandFailed where something is left after 10 minutes or when it is ended, or may not be deleted
 */
export async function removeTree(path: string, signal?: AbortSignal): Promise<void> {
  await run('rm', ['-rf', '--', path], { timeoutMs: TIMEOUT_MS, signal });
}
