import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartContext } from '../../../main/embedded/part.ts';
import { rabbitmqParts } from '../../../main/embedded/rabbitmq.ts';
import { canAccess, unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const account = unprivilegedUser(() => undefined);
const asRoot = account ? it : it.skip;

const CONTEXT: StartContext = {
  signal: new AbortController().signal,
  note: () => undefined,
  run: () => Promise.reject(new Error('nothing has to be run')),
};

let home: string;
/** What the node is told to do. */
let settings: string;

/** Prepares a start of the node. */
async function prepare() {
  const state = join(home, '..');
  const parts = rabbitmqParts({
    directories: { state, cache: state },
    port: 1,
    account,
    limits: { maxLength: 10, expiresMs: 60_000 },
  });
  await parts[0]?.prepare?.(CONTEXT);
  return parts.find(({ name }) => name === 'rabbitmq');
}

beforeEach(() => {
  const state = temporaryDirectory();
  home = join(state, 'rabbitmq');
  settings = join(state, 'rabbitmq-settings');
});

asRoot(
  'the node can read its files, whatever the umask is and was at an earlier start',
  async () => {
    mkdirSync(settings);
    const before = process.umask(0o077);
    try {
      writeFileSync(join(settings, 'rabbitmq.conf'), '');
      await prepare();
    } finally {
      process.umask(before);
    }
    for (const name of ['definitions.json', 'rabbitmq.conf', 'enabled_plugins'])
      expect(canAccess(account, 'r', join(settings, name))).toBe(true);
  },
);

it('no file is written where a link leads that a build has put among the files of the node', async () => {
  const file = join(temporaryDirectory(), 'of-root');
  writeFileSync(file, 'secret\n', { mode: 0o600 });
  mkdirSync(home);
  for (const name of ['definitions.json', 'rabbitmq.conf', 'enabled_plugins', 'version'])
    symlinkSync(file, join(home, name));
  const node = await prepare();
  await node?.complete?.(CONTEXT);
  expect(readFileSync(file, 'utf8')).toBe('secret\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe('where the node ends instead of starting', () => {
  beforeEach(() => {
    mkdirSync(join(home, 'mnesia'), { recursive: true });
    mkdirSync(settings);
  });

  it.each([
    [
      '3.9.13',
      /^The queues in .* were made by RabbitMQ 3\.9\.13, and this is \d.* move that directory/,
    ],
    [undefined, /were made by RabbitMQ of an unknown version, and this is \d/],
  ])('it is said what to do with queues of another version: %s', async (version, advice) => {
    if (version !== undefined) writeFileSync(join(settings, 'version'), `${version}\n`);
    expect((await prepare())?.advice?.()).toMatch(advice);
  });

  it('nothing is said of queues that are new, or of a node that has started with them', async () => {
    rmSync(join(home, 'mnesia'), { recursive: true });
    const node = await prepare();
    expect(node?.advice?.()).toBeUndefined();
    writeFileSync(join(settings, 'version'), '3.9.13\n');
    await node?.complete?.(CONTEXT);
    expect(node?.advice?.()).toBeUndefined();
  });
});
