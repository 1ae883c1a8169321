import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles the `airline` command into one file that Node runs.
 *
 * @param outfile where it is written
 * @returns what it was made of
 */
export async function bundleCommand(outfile: string): Promise<Metafile> {
  const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    bundle: true,
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
    entryPoints: ['cli/main.ts'],
    outfile,
    platform: 'node',
    target: 'node20',
    metafile: true,
    define: { AIRLINE_VERSION: JSON.stringify(version) },
    banner: {
      // Packages written for CommonJS ask for `require` where the bundle is a module.
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
  });
  await chmod(outfile, 0o755);
  return metafile;
}
