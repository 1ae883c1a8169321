import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, processesWith, sendSignal, type ProcessIdentity } from './process-table.ts';
import { waitUntil } from './wait-until.ts';

/** Content of a part's pid file. */
export type ProcessRecord = ProcessIdentity & { part: string; stopSignal: NodeJS.Signals };

/**
 * The variable that every process of a stack, however far down, has in its environment; its value is
 * the state directory.
 */
export const STACK_MARKER = 'EMBEDDED_STACK';

const ORDERLY_MS = 15_000;
const END_MS = 5_000;
/** On a machine with much to do, a process of much memory takes long to go. */
const KILL_MS = 30_000;

/**
 * Ends what a stack whose supervisor was killed has left running: first its parts, each by its own stop
 * signal so that they can write what they have, then whatever they started.
 *
 * @param runDir the folder of the pid files; the stack's lock is held
 * @param say takes a line if there was anything
 */
export async function endStaleProcesses(
  runDir: string,
  stateDir: string,
  say: (line: string) => void,
): Promise<void> {
  const records = readRecords(runDir);
  const left = records.filter(isRunning);
  if (left.length > 0)
    say(
      `the last stack was killed; ending what it left: ${left.map(({ part, pid }) => `${part} (${pid})`).join(', ')}`,
    );
  for (const { pid, stopSignal } of left) sendSignal(pid, stopSignal);
  if (!(await allGone(() => left.filter(isRunning), ORDERLY_MS)))
    for (const { pid } of left.filter(isRunning)) sendSignal(-pid, 'SIGKILL');
  await endMarked(stateDir, left);
  for (const file of recordFiles(runDir)) rmSync(file, { force: true });
}

/**
 * Ends every process that carries the marker of a stack. Resolves when the last of them has given up all that it had,
 * its ports included.
 *
 * @param known other processes of that stack, which are waited for as well
 * @throws Error that names those that even SIGKILL does not end
 */
export async function endMarked(
  stateDir: string,
  known: readonly ProcessIdentity[] = [],
): Promise<void> {
  // A process that ends loses its environment first and its ports last, so who was seen once counts until it is gone.
  let seen = known;
  const remaining = () => {
    const marked = processesWith(STACK_MARKER, stateDir);
    const pids = new Set(marked.map(({ pid }) => pid));
    seen = [...marked, ...seen.filter((one) => !pids.has(one.pid) && isRunning(one))];
    return seen;
  };
  for (const { pid } of remaining()) sendSignal(pid, 'SIGTERM');
  if (await allGone(remaining, END_MS)) return;
  // Again and again: what is killed may have started another.
  const killed = () => {
    const left = remaining();
    for (const { pid } of left) sendSignal(pid, 'SIGKILL');
    return left;
  };
  if (await allGone(killed, KILL_MS)) return;
  throw new Error(
    `These processes of the stack in ${stateDir} do not end: ${seen
      .map(({ pid }) => pid)
      .join(', ')}`,
  );
}

async function allGone(remaining: () => readonly unknown[], timeoutMs: number): Promise<boolean> {
  return waitUntil('the end of stale processes', () => remaining().length === 0, {
    timeoutMs,
  }).then(
    () => true,
    () => false,
  );
}

function readRecords(runDir: string): ProcessRecord[] {
  return recordFiles(runDir).flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as ProcessRecord];
    } catch {
      // Cut short by the kill; the marker finds its process.
      return [];
    }
  });
}

function recordFiles(runDir: string): string[] {
  if (!existsSync(runDir)) return [];
  return readdirSync(runDir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(runDir, name));
}
