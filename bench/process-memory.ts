import { readFileSync, writeFileSync } from 'node:fs';

/** What a process took more at its peak than it held before. */
export type MemoryGrowth = { beforeBytes: number; peakBytes: number; growthBytes: number };

/**
 * Begins to watch the memory of a process: the kernel keeps the peak of its resident set, which is set back first
 * (proc(5): `clear_refs`, 5), so that no moment is missed.
 *
 * @returns gives the growth until now
 */
export function watchMemory(pid: number): () => MemoryGrowth {
  const beforeBytes = memoryBytes(pid);
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return () => {
    const peakBytes = statusBytes(pid, 'VmHWM');
    return { beforeBytes, peakBytes, growthBytes: Math.max(0, peakBytes - beforeBytes) };
  };
}

/** What a process holds now: its resident set. */
export function memoryBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS');
}

function statusBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`The kernel says no ${field} of process ${pid}.`);
  return Number(kibibytes) * 1_024;
}
