import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LIMITS = { timeout: 300_000, maxBuffer: 10_000_000 };
const PYTHON = resolve('node_modules/.cache/python/bin');
const TYPESCRIPT = resolve('node_modules/.cache/typescript');
const TSC = resolve('node_modules/.bin/tsc');
const run = promisify(execFile);

/** What a client's program tells of the build that it has done. */
type WholeBuild = { state: string; built: string[]; log: string; artifacts: string[] };

/** Makes a client of the document, checks it as far as its language can, and does a whole build with it. */
export type GeneratedClient = (document: string, args: readonly string[]) => Promise<WholeBuild>;

/** By openapi-python-client. */
export const python: GeneratedClient = async (document, args) => {
  const directory = temporaryDirectory();
  const path = join(directory, 'openapi.json');
  writeFileSync(path, document);
  const env = { ...process.env, PATH: `${PYTHON}:${process.env['PATH']}` };
  const package_ = join(directory, 'airline_client');
  const { stdout: said } = await run(
    join(PYTHON, 'openapi-python-client'),
    ['generate', '--path', path, '--output-path', package_, '--meta', 'none', '--fail-on-warning'],
    { ...LIMITS, env },
  );
  if (/WARNING/.test(said)) throw new Error(said);
  const { stdout } = await run(join(PYTHON, 'python'), ['test/clients/whole_build.py', ...args], {
    ...LIMITS,
    env: { ...env, PYTHONPATH: directory },
  });
  return JSON.parse(stdout) as WholeBuild;
};

/** By openapi-typescript, with openapi-fetch. */
export const typescript: GeneratedClient = async (document, args) => {
  mkdirSync(TYPESCRIPT, { recursive: true });
  // Beside its packages, so that it finds them.
  const directory = mkdtempSync(join(TYPESCRIPT, 'client-'));
  try {
    const path = join(directory, 'openapi.json');
    writeFileSync(path, document);
    const types = join(directory, 'api.d.ts');
    const bin = join(TYPESCRIPT, 'node_modules/.bin');
    await run(join(bin, 'openapi-typescript'), [path, '--output', types], LIMITS);
    const program = join(directory, 'whole-build.mts');
    copyFileSync('test/clients/typescript/whole-build.mts', program);
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck'];
    const modules = ['--target', 'es2023', '--module', 'nodenext', '--allowImportingTsExtensions'];
    const nodeTypes = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    // Ours: only the generator needs the older one, which takes seven times as long.
    await run(TSC, [...options, ...modules, ...nodeTypes, program], LIMITS);
    const { stdout } = await run(process.execPath, ['--import', 'tsx', program, ...args], LIMITS);
    return JSON.parse(stdout) as WholeBuild;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
