import { readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second: 100 on every Linux that Node runs on (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used so far, in ms (proc(5): `stat`, utime and stime). */
export function processTimeMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The fields from the state on: the name before it may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}
