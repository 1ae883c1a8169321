import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** A module finds the files beside it by its own address, wherever its code lies. */
const OWN_ADDRESS: Plugin = {
  name: 'own-address',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      // By a pattern, which is not what it looks for: this module is bundled, too.
      contents: (await readFile(path, 'utf8')).replaceAll(/import\.meta\.url/g, () =>
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: 'ts',
    }));
  },
};

/**
 * Makes one file of a program of ours. Node starts it in half the processor time that the sources take, which it has
 * to find, translate and load one by one. It is made for each start, in a twentieth of a second, so it is never older
 * than the sources. The packages stay where they are.
 *
 * @param program the path of its main module, below `projectDir`
 */
export async function bundleProgram(projectDir: string, program: string): Promise<void> {
  const path = pathOf(projectDir, program);
  const { outputFiles } = await build({
    absWorkingDir: projectDir,
    entryPoints: [program],
    outfile: path,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    keepNames: true,
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'silent',
    plugins: [OWN_ADDRESS],
    write: false,
  });
  await mkdir(dirname(path), { recursive: true });
  // Renamed, because a process that starts at this moment must not read half of it.
  const unfinished = `${path}.${randomUUID()}`;
  for (const { contents } of outputFiles) await writeFile(unfinished, contents);
  await rename(unfinished, path);
}

/** Arguments with which Node runs what bundleProgram has made; faults name the lines of the sources. */
export function bundledProgram(projectDir: string, program: string): string[] {
  return ['--enable-source-maps', pathOf(projectDir, program)];
}

function pathOf(projectDir: string, program: string): string {
  return join(projectDir, 'dist/programs', program.replace(/\.ts$/, '.mjs'));
}
