import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../main/config/config.ts';
import { makeDirectory, resolveDirectories } from '../../../main/embedded/directories.ts';
import {
  canAccess,
  missingSubordinateIds,
  unprivilegedUser,
} from '../../../main/embedded/unprivileged-user.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const account = unprivilegedUser(() => undefined);
const asRoot = account ? it : it.skip;

it('takes the directories as they are set', () => {
  const directory = temporaryDirectory();
  const config = loadConfig({
    AIRLINE_STATE_DIR: join(directory, 'state'),
    AIRLINE_CACHE_DIR: join(directory, 'cache'),
  });
  expect(resolveDirectories(config, account)).toEqual({
    state: join(directory, 'state'),
    cache: join(directory, 'cache'),
  });
});

asRoot('refuses a directory that the unprivileged user cannot reach', () => {
  const closed = temporaryDirectory();
  chmodSync(closed, 0o700);
  const config = loadConfig({ AIRLINE_STATE_DIR: join(closed, 'state') });
  expect(() => resolveDirectories(config, account)).toThrow(
    /^AIRLINE_STATE_DIR is .*, which the user airline cannot reach.*\/var\/lib\/airline/,
  );
});

asRoot("uses the system's places where the home of root is closed to others", () => {
  const home = temporaryDirectory();
  chmodSync(home, 0o700);
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      `import { loadConfig } from './main/config/config.ts';
       import { resolveDirectories } from './main/embedded/directories.ts';
       import { unprivilegedUser } from './main/embedded/unprivileged-user.ts';
       const account = unprivilegedUser(() => undefined);
       console.log(JSON.stringify(resolveDirectories(loadConfig({}), account)));`,
    ],
    { env: { ...process.env, HOME: home }, encoding: 'utf8' },
  );
  expect(JSON.parse(stdout)).toEqual({ state: '/var/lib/airline', cache: '/var/cache/airline' });
});

asRoot('gives the unprivileged user subordinate ids and a way to what is its own', () => {
  const before = process.umask(0o077);
  try {
    const own = join(temporaryDirectory(), 'state/parts/postgresql');
    makeDirectory(own, account);
    expect(account && missingSubordinateIds(account)).toEqual([]);
    expect(canAccess(account, 'w', own)).toBe(true);
    expect(statSync(own).mode & 0o777).toBe(0o700);
  } finally {
    process.umask(before);
  }
});

it('leaves the mode of a directory that was there', () => {
  const there = join(temporaryDirectory(), 'there');
  mkdirSync(there);
  chmodSync(there, 0o750);
  makeDirectory(join(there, 'new'));
  expect(statSync(there).mode & 0o777).toBe(0o750);
  expect(statSync(join(there, 'new')).mode & 0o777).toBe(0o755);
});
