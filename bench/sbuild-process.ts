import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning } from '../main/embedded/process-table.ts';

/** Both ends are seen at most this late, so that the duration is right to the same. */
const LOOK_INTERVAL_MS = 20;

/**
 * Watches a stand-in for the next process of sbuild that it starts, until that has ended.
 *
 * The process is taken, and not the build record's `date_started` and `datebuilt`, because those also hold what the
 * stand-in does before and after: the chroot looked for, sources copied, the log closed. That is overhead.
 *
 * @param standInPid the stand-in's process
 * @returns when it was first seen and first missed, in milliseconds since the epoch
 * @throws the signal's reason; Error where sbuild has not ended within the limit
 */
export async function watchSbuild(
  standInPid: number,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<{ startedAtMs: number; endedAtMs: number }> {
  const limit = Date.now() + limitMs;
  const look = async <T>(ask: () => T | false | undefined): Promise<T> => {
    for (;;) {
      const answer = ask();
      if (answer !== false && answer !== undefined) return answer;
      if (Date.now() > limit) throw new Error(`No sbuild has run within ${limitMs / 1_000} s.`);
      await sleep(LOOK_INTERVAL_MS, undefined, { signal });
    }
  };
  const sbuild = await look(() => children(standInPid).filter(isSbuild).map(identify).at(0));
  const startedAtMs = Date.now();
  const endedAtMs = await look(() => !isRunning(sbuild) && Date.now());
  return { startedAtMs, endedAtMs };
}

/** Children that the main thread of a process has started, as all of Node's are (proc(5)). */
function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

/** Whether it is sbuild, or `setpriv` about to become it. */
function isSbuild(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .some((argument) => basename(argument) === 'sbuild');
  } catch {
    // It has ended in the meantime.
    return false;
  }
}
