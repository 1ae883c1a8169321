import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOutcome } from '../../../../activities/testing/machine/read-outcome.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

it('what autopkgtest has left is read, and nothing that it links to', async () => {
  const directory = join(temporaryDirectory(), 'output');
  mkdirSync(directory);
  const write = (name: string, content: string) => writeFileSync(join(directory, name), content);
  write('testpkg-version', 'hello 2.10-3\n');
  write('testinfo.json', '{}');
  write('testbed-packages', 'hello\t1\nlibc6\t2\n');
  write('smoke-packages', 'hello\t2.10-3\n');
  symlinkSync('/etc/passwd', join(directory, 'summary'));
  expect(await readOutcome(directory)).toEqual({
    summary: null,
    testedSource: 'hello 2.10-3',
    hasTestinfo: true,
    installed: [
      { name: 'libc6', version: '2' },
      { name: 'hello', version: '2.10-3' },
    ],
  });
  expect(await readOutcome(join(directory, 'none'))).toMatchObject({ hasTestinfo: false });
  const link = `${directory}-link`;
  symlinkSync(directory, link);
  expect(await readOutcome(link)).toEqual({
    summary: null,
    testedSource: null,
    hasTestinfo: false,
    installed: [],
  });
});

describe('a list of packages that a test has written itself', () => {
  it('is read though it is far longer than that of a test bed', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'smoke-packages'), 'a 1\n'.repeat(200_000));
    const { installed, fault } = await readOutcome(directory);
    expect([installed.length, fault]).toEqual([200_000, undefined]);
  });

  it('is a fault where there are so many that they fill the memory of the tester', async () => {
    const directory = temporaryDirectory();
    for (const test of ['one', 'two', 'three'])
      writeFileSync(join(directory, `${test}-packages`), 'a 1\n'.repeat(400_000));
    expect(await readOutcome(directory)).toMatchObject({
      installed: [],
      fault: 'The tests left lists of more than 1000000 packages.',
    });
  });
});
