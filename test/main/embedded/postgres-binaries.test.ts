import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { reachableBinaries } from '../../../main/embedded/postgres-binaries.ts';
import { canAccess, unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const account = unprivilegedUser(() => undefined);
const asRoot = account ? describe : describe.skip;

asRoot('where the account cannot reach the package', () => {
  let native: string;
  let cache: string;

  /** A package in a home that is closed to others, as npm installs it under umask 077. */
  beforeEach(() => {
    native = join(temporaryDirectory(), 'native');
    cache = temporaryDirectory();
    put(native, 'bin/postgres', '#!/bin/sh\n');
    put(native, 'lib/libpq.so.5', 'a library\n');
    symlinkSync('libpq.so.5', join(native, 'lib/libpq.so'));
    for (const path of ['bin', 'bin/postgres', 'lib', 'lib/libpq.so.5', ''])
      chmodSync(join(native, path), 0o700);
  });

  function put(root: string, name: string, content: string): void {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content, { mode: 0o755 });
  }

  const reach = () =>
    reachableBinaries(cache, account, new AbortController().signal, { native, version: '18.4' });
  const inCache = () => readdirSync(cache).filter((name) => !name.endsWith('.lock'));

  it('it gets a copy that it can read, whole', async () => {
    const { native: copy } = await reach();
    expect(copy).toBe(join(cache, 'postgresql-18.4'));
    for (const name of ['bin/postgres', 'lib/libpq.so']) {
      expect(canAccess(account, 'r', join(copy, name))).toBe(true);
      expect(canAccess(account, 'x', join(copy, dirname(name)))).toBe(true);
    }
  });

  it('of several starts at once one copies, and all have it', async () => {
    const found = await Promise.all([reach(), reach(), reach()]);
    expect(new Set(found.map((one) => one.native)).size).toBe(1);
    expect(inCache()).toEqual(['postgresql-18.4']);
  });

  it.each(['bin/postgres', 'lib/libpq.so.5'])(
    'a copy whose %s a power cut has emptied is made anew',
    async (name) => {
      const { native: copy } = await reach();
      writeFileSync(join(copy, name), '');
      await reach();
      expect(readFileSync(join(copy, name), 'utf8')).not.toBe('');
    },
  );

  it('a copy that is closed to the account is made anew', async () => {
    const { native: copy } = await reach();
    chmodSync(copy, 0o700);
    await reach();
    expect(canAccess(account, 'x', join(copy, 'bin/postgres'))).toBe(true);
  });

  it('what a start that was killed has left is removed, and no copy of another version', async () => {
    for (const left of ['postgresql-18.4.4711', 'postgresql-18.4.new', 'postgresql-18.3'])
      put(cache, join(left, 'bin/postgres'), '');
    await reach();
    expect(inCache().toSorted()).toEqual(['postgresql-18.3', 'postgresql-18.4']);
  });
});
