import { readdirSync, readFileSync } from 'node:fs';
import {
  identify,
  isRunning,
  sendSignal,
  type ProcessIdentity,
} from '../../main/embedded/process-table.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';

const GONE_MS = 20_000;

/** A process and all that it has started, however deep, as they are now. */
function processTree(root: number): ProcessIdentity[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const pids = [root];
  for (const pid of pids) pids.push(...(children.get(pid) ?? []));
  return pids.map(identify).filter((identity) => identity !== undefined);
}

/** `kill -9` of a process and all that it has started. Resolves when the last of them is gone. */
export async function killTree(root: number): Promise<void> {
  // The root first, so that it starts none that we do not know of.
  const tree = processTree(root);
  for (const { pid } of tree) sendSignal(pid, 'SIGKILL');
  await waitUntil(`the end of process ${root}`, () => !tree.some(isRunning), {
    timeoutMs: GONE_MS,
  });
}

/** Sends a signal to a process and all that it has started. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const { pid } of processTree(root)) sendSignal(pid, signal);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the parent is the second field after the name, which is in parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
