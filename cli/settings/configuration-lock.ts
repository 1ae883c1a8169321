import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Interrupted, usageError } from '../command-error.ts';
import type { CommandEnvironment } from '../environment.ts';
import { configDirectory, HOME_HINT } from './settings.ts';

/** Before the next look at a lock that another call holds. */
const PAUSE_MS = 20;
/** It is held for milliseconds: who held one that is older has died. */
const DEAD_MS = 10_000;

/**
 * Changes the configuration while no other call does: a change reads whole files and writes them anew, so that one of
 * two at the same time would be lost.
 *
 * @param change is given the folder, which is there
 * @returns what the change returns
 * @throws CommandError `usage` where there is no folder, or it cannot be written; Interrupted
 */
export async function changeConfiguration<T>(
  environment: CommandEnvironment,
  change: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = configDirectory(environment);
  if (directory === undefined)
    throw usageError('There is no folder to keep a profile in.', HOME_HINT);
  const lock = join(directory, 'lock');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    while (!(await isTaken(lock))) {
      if (await isOlder(lock, environment.now().getTime() - DEAD_MS))
        await rm(lock, { force: true });
      else
        await environment.sleep(PAUSE_MS, environment.interruption).catch(() => {
          throw new Interrupted();
        });
    }
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    throw usageError(`${directory} cannot be written: ${(error as Error).message}`);
  }
  try {
    return await change(directory);
  } finally {
    await rm(lock, { force: true });
  }
}

/** @returns false where another call holds it */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isOlder(lock: string, timeMs: number): Promise<boolean> {
  const there = await stat(lock).catch(() => undefined);
  return there !== undefined && there.mtimeMs < timeMs;
}
