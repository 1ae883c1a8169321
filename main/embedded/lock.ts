import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Takes the lock of a state directory. The kernel ties it to the open file, so it ends with this
 * process however that ends; Node has no call for it, so flock(1) sets it on the file we hand it.
 *
 * @returns a function that gives it up; safe to call again
 * @throws Error that names the process that has it
 */
export function takeLock(path: string, stateDir: string): () => void {
  const file = openSync(path, 'a', 0o644);
  const { status, error } = spawnSync('flock', ['--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', file],
  });
  if (error) {
    closeSync(file);
    throw error;
  }
  if (status !== 0) {
    closeSync(file);
    throw new Error(
      `A stack is running already in ${stateDir} (process ${readFileSync(path, 'utf8').trim()}). ` +
        'Stop that one, or set AIRLINE_STATE_DIR and the ports to start another.',
    );
  }
  ftruncateSync(file);
  writeSync(file, `${process.pid}\n`);
  return unlock(file);
}

/**
 * Waits for a lock that others hold for a while, in this process or another.
 *
 * @param signal gives the wait up
 * @returns a function that gives it up; safe to call again
 * @throws Error where it is not free in time; the signal's reason, when it is aborted
 */
export async function waitForLock(
  path: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<() => void> {
  const file = openSync(path, 'a', 0o644);
  const seconds = String(Math.ceil(timeoutMs / 1_000));
  try {
    const waiting = spawn('flock', ['--exclusive', '--timeout', seconds, '3'], {
      stdio: ['ignore', 'ignore', 'ignore', file],
      signal,
    });
    const [status] = (await once(waiting, 'exit')) as [number | null];
    if (status !== 0) throw new Error(`The lock ${path} was not free within ${seconds} s.`);
  } catch (error) {
    closeSync(file);
    signal.throwIfAborted();
    throw error;
  }
  return unlock(file);
}

/** Closes the file once: another one may have its number by the next time. */
function unlock(file: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
}
