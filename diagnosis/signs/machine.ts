import { labelled, sign, type Sign } from '../sign.ts';

/** The machine: disk and memory. */
export const MACHINE_SIGNS: readonly Sign[] = [
  labelled(
    'disk_full',
    'cause',
    /^\S+: .*(?:No space left on device|Disk quota exceeded|You don't have enough free space)/,
  ),
  // dpkg names the package on the line above.
  sign('disk_full', 'cause', /^ cannot copy extracted data for .*\(No space left on device\)$/),
  labelled(
    'out_of_memory',
    'cause',
    /^\S+: .*(?:Killed signal terminated program |internal compiler error: Killed)/,
  ),
  labelled(
    'out_of_memory',
    'cause',
    /^\S+: .*(?:out of memory allocating \d|Cannot allocate memory|final link failed: memory exhausted)/,
  ),
  sign(
    'out_of_memory',
    'cause',
    /^virtual memory exhausted|^LLVM ERROR: out of memory|^terminate called .*'std::bad_alloc'|^Exception in .*java\.lang\.OutOfMemoryError|^FATAL ERROR: .*heap out of memory/,
  ),
  // Linkers and compilers that were killed, as collect2, clang, Rust and Go say it.
  sign('out_of_memory', 'cause', /^(?: += note: )?collect2: (?:fatal )?error: .* signal 9\b/),
  labelled('out_of_memory', 'cause', /^\S*clang\S*: error: unable to execute command: Killed/),
  sign(
    'out_of_memory',
    'cause',
    /^error: linking with .* failed: signal: 9\b|^\s+process didn't exit successfully: `\S*rustc .*\(signal: 9\b/,
  ),
  sign('out_of_memory', 'cause', /^(?:go \w+ )?\S+: \S+\/pkg\/tool\/\S+: signal: killed$/),
  sign('out_of_memory', 'cause', /^E: pybuild .* exit code=137\b/),
  sign('out_of_memory', 'cause', /^g?make(?:\[\d+\])?: \*{3} \[.*\] (?:Killed|Error 137)$/),
];
