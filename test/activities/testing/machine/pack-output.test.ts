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
const unprivileged = createUnprivileged(unprivilegedUser(() => undefined, 'airline-test'));

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

it('a run that leaves a link in place of its folder leaves nothing, also where its user could read that', async () => {
  const open = join(folder, 'open');
  await unprivileged.makeDirectory(open);
  writeFileSync(join(open, 'of-others'), 'not of the run\n');
  symlinkSync(open, output);
  expect(await pack()).toBeNull();
});

it('a run that leaves more than is kept leaves nothing', async () => {
  mkdirSync(output);
  writeFileSync(join(output, 'log'), randomBytes(2 ** 21));
  expect(await pack()).toBeNull();
});
