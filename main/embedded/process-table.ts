import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process for as long as the machine is up: its number alone is used again for others. */
export type ProcessIdentity = { pid: number; startTicks: number; bootId: string };

/**
 * The identity of a running process; undefined where no such process runs. A zombie does not count, unless other
 * threads of it still run: only the last one to end closes its files and ports.
 */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readProc(`${pid}/stat`);
  // The name, in parentheses, may hold anything; proc(5): state is field 3, num_threads field 20, starttime field 22.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1))
    return undefined;
  return { pid, startTicks: Number(fields[19]), bootId: bootId() };
}

/** Whether this very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  return now?.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

/** Whether a running process works in a directory. Of one that is not ours to look at, it may. */
export function mayWorkIn(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch (error) {
    // Even root may not look at other users' processes without CAP_SYS_PTRACE, as in a container.
    return (error as NodeJS.ErrnoException).code === 'EACCES' && identify(pid) !== undefined;
  }
}

/** Every running process that was started with `name=value` in its environment and whose environment we may read. */
export function processesWith(name: string, value: string): ProcessIdentity[] {
  const entry = `${name}=${value}`;
  return readdirSync('/proc')
    .filter((directory) => /^\d+$/.test(directory) && Number(directory) !== process.pid)
    .filter((directory) => readProc(`${directory}/environ`)?.split('\0').includes(entry))
    .map((directory) => identify(Number(directory)))
    .filter((identity) => identity !== undefined);
}

/** Sends a signal to a process, or with a negative number to a group; false where it is gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function bootId(): string {
  return readProc('sys/kernel/random/boot_id')?.trim() ?? '';
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    // Gone in the meantime, or another user's.
    return undefined;
  }
}
