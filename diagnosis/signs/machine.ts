import { labelled, sign, type Sign } from '../sign.ts';

/** The machine: disk and memory. */
export const MACHINE_SIGNS: readonly Sign[] = [
  labelled(
    'disk_full',
    'cause',
    /^\S+: .*(?:No space left on device|Disk quota exceeded|You don't have enough free space)/,
  ),
  labelled(
    'out_of_memory',
    'cause',
    /^\S+: .*(?:Killed signal terminated program |internal compiler error: Killed)/,
  ),
  labelled(
    'out_of_memory',
    'cause',
    /^\S+: .*(?:out of memory allocating \d|Cannot allocate memory)/,
  ),
  sign(
    'out_of_memory',
    'cause',
    /^virtual memory exhausted|^LLVM ERROR: out of memory|^terminate called .*'std::bad_alloc'|^Exception in .*java\.lang\.OutOfMemoryError|^FATAL ERROR: .*heap out of memory/,
  ),
  sign('out_of_memory', 'cause', /^g?make(?:\[\d+\])?: \*{3} \[.*\] (?:Killed|Error 137)$/),
];
