import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rabbitmqParts } from '../../../main/embedded/rabbitmq.ts';
import { canAccess, unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const account = unprivilegedUser(() => undefined);
const asRoot = account ? it : it.skip;

let home: string;

/** Prepares a start of the node. */
async function prepare() {
  const state = join(home, '..');
  const parts = rabbitmqParts({
    directories: { state, cache: state },
    port: 1,
    account,
    limits: { maxLength: 10, expiresMs: 60_000 },
  });
  await parts[0]?.prepare?.({
    signal: new AbortController().signal,
    note: () => undefined,
    run: () => Promise.reject(new Error('nothing has to be run')),
  });
  return parts.find(({ name }) => name === 'rabbitmq');
}

beforeEach(() => {
  home = join(temporaryDirectory(), 'rabbitmq');
});

asRoot('the node can read its files, whatever the umask is and was at an earlier start', async () => {
  const before = process.umask(0o077);
  try {
    mkdirSync(home);
    writeFileSync(join(home, 'rabbitmq.conf'), '');
    await prepare();
  } finally {
    process.umask(before);
  }
  for (const name of ['definitions.json', 'rabbitmq.conf', 'enabled_plugins'])
    expect(canAccess(account, 'r', join(home, name))).toBe(true);
});
