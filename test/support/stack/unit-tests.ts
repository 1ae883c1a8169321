import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What a test imports that needs the test run's servers, or starts processes. */
const MORE_THAN_A_UNIT = ['test/support/addresses.ts', 'node:child_process'];

/** The paths of all test files, below the project's directory. */
export function testFiles(): string[] {
  return readdirSync('test', { encoding: 'utf8', recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', path));
}

/** Those that need no server and start no process, neither themselves nor in what they import. */
export async function unitTests(tests = testFiles()): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: tests,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'dist',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return tests.filter((test) => {
    const reached = new Set([test]);
    // A set also hands out what is added to it meanwhile.
    for (const path of reached)
      for (const { path: imported } of metafile.inputs[path]?.imports ?? []) reached.add(imported);
    return !MORE_THAN_A_UNIT.some((path) => reached.has(path));
  });
}
