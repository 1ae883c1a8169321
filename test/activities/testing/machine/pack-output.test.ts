import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packOutput } from '../../../../activities/testing/machine/pack-output.ts';
import { unprivilegedUser } from '../../../../main/embedded/unprivileged-user.ts';
import { createUnprivileged } from '../../../../sandbox/unprivileged.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const execute = promisify(execFile);
const user = unprivilegedUser(() => undefined, 'airline-test');
const unprivileged = createUnprivileged(user);
/** Others than root are who runs the tests: nothing of theirs is closed to these. */
const asRoot = user ? it : it.skip;

let folder: string;
let output: string;
beforeEach(async () => {
  folder = temporaryDirectory();
  await unprivileged.makeDirectory(join(folder, 'own'));
  output = join(folder, 'own/output');
});
afterEach(() => unprivileged.removeDirectory(folder));

const pack = () =>
  packOutput(folder, output, {
    unprivileged,
    maxBytes: 2 ** 20,
    killAfterMs: 1_000,
    signal: new AbortController().signal,
  });

it('what a run has left is packed', async () => {
  mkdirSync(output);
  writeFileSync(join(output, 'log'), 'passed\n');
  const { stdout } = await execute('tar', ['--list', `--file=${await pack()}`]);
  expect(stdout).toBe('./\n./log\n');
});

asRoot(
  'a run that leaves a link in place of its folder gets nothing that is closed to its user',
  async () => {
    const open = join(folder, 'closed/open');
    mkdirSync(join(folder, 'closed'), { mode: 0o700 });
    mkdirSync(open);
    writeFileSync(join(open, 'secret'), 'of root\n');
    symlinkSync(open, output);
    expect(await pack()).toBeNull();
  },
);

it('a run that leaves more than is kept leaves nothing', async () => {
  mkdirSync(output);
  writeFileSync(join(output, 'log'), randomBytes(2 ** 21));
  expect(await pack()).toBeNull();
});
