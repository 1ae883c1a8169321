import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { VERSION } from '../main/config/version.ts';

/** What all bundles are made with. */
export const BUNDLE_OPTIONS = {
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  bundle: true,
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Bundles the `airline` command into one file that Node runs.
 *
 * @param outfile where it is written
 * @returns what it was made of
 */
export async function bundleCommand(outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: ['cli/main.ts'],
    outfile,
    platform: 'node',
    target: 'node20',
    metafile: true,
    define: { AIRLINE_VERSION: JSON.stringify(VERSION) },
    banner: {
      // Packages written for CommonJS ask for `require` where the bundle is a module.
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
  });
  await chmod(outfile, 0o755);
  return metafile;
}
