import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RootCauseFinder } from '../../diagnosis/finder.ts';
import { isNotable } from '../../diagnosis/notable-lines.ts';

// How fast a log is searched for its root cause, with and without leaving out lines that cannot mean anything:
//   node --import tsx test/diagnosis/measure-finder.ts

const MEASURED_MS = 1_500;
const COMPILED_FILES = 50_000;
const LOGS = join(import.meta.dirname, 'build-logs');

const recorded = readdirSync(LOGS)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => readFileSync(join(LOGS, name), 'utf8').split('\n'));

const compilation = Array.from({ length: COMPILED_FILES }, (_, at) => [
  `checking for function_${at}... yes`,
  `libtool: compile:  gcc -DHAVE_CONFIG_H -I. -g -O2 -Wall -c file_${at}.c -o .libs/file_${at}.o`,
  `gcc -DHAVE_CONFIG_H -I. -I.. -Wdate-time -D_FORTIFY_SOURCE=2 -g -O2 -fstack-protector-strong -Wformat -c -o file_${at}.o file_${at}.c`,
  `file_${at}.c:12:3: warning: unused variable ‘x’ [-Wunused-variable]`,
]).flat();

for (const [name, logs] of Object.entries({ recorded, compilation: [compilation] }))
  for (const [how, notable] of Object.entries({ isNotable, 'every line': () => true }))
    console.log(`${name}, ${how}: ${Math.round(megabytesPerSecond(logs, notable))} MB/s`);

function megabytesPerSecond(logs: readonly string[][], notable: (line: string) => boolean): number {
  const bytes = logs.flat().reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  search(logs, notable);
  let rounds = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < MEASURED_MS) {
    search(logs, notable);
    rounds += 1;
  }
  return (rounds * bytes) / 1e6 / ((performance.now() - startedAt) / 1_000);
}

function search(logs: readonly string[][], notable: (line: string) => boolean): void {
  for (const lines of logs) {
    const finder = new RootCauseFinder(notable);
    for (const line of lines) finder.take(line);
    finder.found();
  }
}
