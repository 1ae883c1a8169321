import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { BUNDLE_OPTIONS, bundleCommand } from './bundle-command.ts';

// Generates the types of the API that the clients use, and bundles the command into dist/cli/ and the web UI into
// dist/web/ (`npm run build:clients`, and on every `npm ci`), so that the one starts without a compiler and the other
// needs none.

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = join(PROJECT, 'dist/cli/airline.mjs');
const CONTRACT = join(PROJECT, 'api/openapi/contract.generated.ts');
const WEB = join(PROJECT, 'dist/web');

await writeContract();
await bundleCommand(COMMAND);
console.log(`command: ${COMMAND}`);
await buildWeb();

/**
 * Writes the types of what the API is sent and answers. Only the compiler reads them: a production install has neither.
 */
async function writeContract(): Promise<void> {
  if (!existsSync(join(PROJECT, 'node_modules/json-schema-to-typescript'))) return;
  const { contractTypes } = await import('./contract-types.ts');
  const types = await contractTypes();
  if (!existsSync(CONTRACT) || (await readFile(CONTRACT, 'utf8')) !== types)
    await writeFile(CONTRACT, types);
  console.log(`types of the API: ${CONTRACT}`);
}

/** Builds beside what is served and then takes its place, so that no page is ever half of one and half of another. */
async function buildWeb(): Promise<void> {
  const building = `${WEB}.new`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: ['web/main.tsx', 'web/load-again.ts', 'web/theme.ts'],
    outdir: join(building, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    splitting: true,
    metafile: true,
  });
  const page = await readFile(join(PROJECT, 'web/index.html'), 'utf8');
  await writeFile(join(building, 'index.html'), withAssets(page, metafile));
  // What has no clone gets the command from the server: GET /airline.mjs.
  const command = join(building, 'airline.mjs');
  await cp(COMMAND, command);
  // The pages lead to what is written, of the same version.
  await cp(join(PROJECT, 'docs'), join(building, 'help'), {
    recursive: true,
    filter: (path) => path.endsWith('/docs') || /\/docs\/[\w-]+\.md$/.test(path),
  });
  const assets = Object.keys(metafile.outputs).map((output) => join(PROJECT, output));
  for (const path of [command, ...assets]) await compress(path);
  await rm(WEB, { recursive: true, force: true });
  await rename(building, WEB);
  console.log(`web UI: ${WEB}`);
}

/** Puts a file's compressed forms beside it. Browsers take Brotli's, the smaller one, by https. */
async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  await writeFile(`${path}.br`, brotliCompressSync(content));
  await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
}

/**
 * The page with the addresses of what was built in the place of their names.
 *
 * @throws Error where the page names what was not built
 */
function withAssets(page: string, { outputs }: Metafile): string {
  const addresses = new Map<string, string>(
    Object.entries(outputs).flatMap(([path, { entryPoint, cssBundle }]) => {
      if (entryPoint === undefined) return [];
      const name = basename(entryPoint).replace(/\.\w+$/, '');
      return [
        [`${name}.js`, address(path)] as const,
        ...(cssBundle === undefined ? [] : [[`${name}.css`, address(cssBundle)] as const]),
      ];
    }),
  );
  return page.replaceAll(/%([\w-]+\.(?:js|css))%/g, (_, name: string) => {
    const found = addresses.get(name);
    if (found === undefined) throw new Error(`web/index.html names ${name}, which was not built.`);
    return found;
  });
}

function address(output: string): string {
  return `/assets/${basename(output)}`;
}
