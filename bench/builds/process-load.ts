import { readdirSync, readFileSync } from 'node:fs';

// proc(5): utime and stime are in ticks, of which Linux has 100 a second everywhere that Node runs.
const TICK_MS = 10;

/** A process: who started it, and the processor time of itself and of those children that have ended. */
export type ProcessTimes = { pid: number; parentPid: number; cpuMs: number };

/** Parts of the stack by name, with the processes that they consist of at the top. */
export type Roots = Readonly<Record<string, number>>;

/** How many cores each part has kept busy, on average. */
export type CoresUsed = Record<string, number>;

/**
 * Begins to count the processor time of parts, with all the processes below them.
 *
 * @returns gives the cores that each part has used since
 */
export function watchCpu(roots: Roots): () => CoresUsed {
  const before = cpuMsOfTrees(readProcesses(), roots);
  const startedAtMs = performance.now();
  return () => {
    const tookMs = performance.now() - startedAtMs;
    const after = cpuMsOfTrees(readProcesses(), roots);
    return Object.fromEntries(
      Object.entries(after).map(([part, cpuMs]) => [part, (cpuMs - (before[part] ?? 0)) / tookMs]),
    );
  };
}

/** The processor time of each root and of all the processes below it, without the other roots and what is below those. */
export function cpuMsOfTrees(
  processes: readonly ProcessTimes[],
  roots: Roots,
): Record<string, number> {
  const children = new Map<number, ProcessTimes[]>();
  for (const one of processes)
    children.set(one.parentPid, [...(children.get(one.parentPid) ?? []), one]);
  const others = new Set(Object.values(roots));
  const below = (pid: number): number =>
    (children.get(pid) ?? [])
      .filter((child) => !others.has(child.pid))
      .reduce((sum, child) => sum + child.cpuMs + below(child.pid), 0);
  return Object.fromEntries(
    Object.entries(roots).map(([part, pid]) => [
      part,
      (processes.find((one) => one.pid === pid)?.cpuMs ?? 0) + below(pid),
    ]),
  );
}

function readProcesses(): ProcessTimes[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'));
      } catch {
        // It has ended in the meantime.
        return [];
      }
    });
}

/** proc(5): the parent is field 4; utime, stime, cutime and cstime are 14 to 17. */
export function parseStat(stat: string): ProcessTimes {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0);
  return { pid: Number.parseInt(stat, 10), parentPid: fields[1] ?? 0, cpuMs: ticks * TICK_MS };
}
