import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('clock.c', import.meta.url));
const COMPILE_MS = 60_000;

/** The clocks of machines, each as far from the true time as it is set. Programs in Go keep the true time. */
export type Clocks = {
  /** Sets the clock of a machine, also under its running programs. */
  set(machine: string, offsetS: number): void;
  /** The variables that give a program the clock of its machine. */
  environmentOf(machine: string): Record<string, string>;
  close(): void;
};

/**
 * @param directory that every program can read
 * @param offsets of each machine's clock, in seconds
 */
export function createClocks(directory: string, offsets: Readonly<Record<string, number>>): Clocks {
  const library = join(directory, 'clock.so');
  execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE], {
    timeout: COMPILE_MS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const pathOf = (machine: string) => join(directory, `clock-${machine}`);
  const files = new Map<string, number>();
  const set = (machine: string, offsetS: number) => {
    const file = files.get(machine) ?? openSync(pathOf(machine), 'w', 0o644);
    files.set(machine, file);
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(offsetS));
    writeSync(file, bytes, 0, bytes.length, 0);
  };
  for (const [machine, offsetS] of Object.entries(offsets)) set(machine, offsetS);
  return {
    set,
    environmentOf: (machine): Record<string, string> =>
      files.has(machine) ? { LD_PRELOAD: library, MACHINE_CLOCK: pathOf(machine) } : {},
    close() {
      for (const file of files.values()) closeSync(file);
    },
  };
}
