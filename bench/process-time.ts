import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second: 100 on every Linux that Node runs on (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

/** Processor time that a process and those below it have used so far, in ms (proc(5): `stat`, utime and stime). */
export function processTimeMs(pid: number): number {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (!fields) continue;
    const parent = Number(fields[1]);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const timeOf = (one: number): number => {
    const fields = statOf(one);
    const own = fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND : 0;
    return (parents.get(one) ?? []).reduce((sum, child) => sum + timeOf(child), own);
  };
  return timeOf(pid) * 1_000;
}

/** The fields from the state on; undefined where the process has gone. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
