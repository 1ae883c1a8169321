import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from './directories.ts';
import { waitForLock } from './lock.ts';

/**
 * Makes something in the cache, unless it is there. Where another process makes it at the same moment, this one waits
 * for that. What processes that were killed have left is removed first.
 *
 * @param options.unfinished path with which all begins that is made on the way: a dot comes next
 * @param options.limitMs time for another process
 * @param options.signal gives up that wait
 * @param options.isThere whether it is there, whole
 * @param options.make makes it
 * @param options.remove removes one thing that is left
 * @throws Error where another process takes too long; what `make` throws
 */
export async function makeOnce({
  unfinished,
  limitMs,
  signal,
  isThere,
  make,
  remove = (path) => rmSync(path, { recursive: true }),
}: {
  unfinished: string;
  limitMs: number;
  signal: AbortSignal;
  isThere: () => boolean;
  make: () => Promise<void>;
  remove?: (path: string) => void;
}): Promise<void> {
  const directory = makeDirectory(dirname(unfinished));
  const unlock = await waitForLock(`${unfinished}.lock`, limitMs, signal);
  try {
    for (const name of readdirSync(directory))
      if (name.startsWith(`${basename(unfinished)}.`) && !name.endsWith('.lock'))
        remove(join(directory, name));
    if (!isThere()) await make();
  } finally {
    unlock();
  }
}
