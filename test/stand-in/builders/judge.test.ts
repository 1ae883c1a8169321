import { judge, unmetDependencies } from '../../../stand-in/builders/sbuild-builder.ts';

it('reads what apt misses out of a log, once each', () => {
  const log = `
The following packages have unmet dependencies:
 sbuild-build-depends-main-dummy : Depends: libfoo-dev (>= 2.0) but it is not installable
                                   Depends: bar but it is not going to be installed
                                   Depends: baz (>= 3) but 2.1 is to be installed
E: Unable to correct problems, you have held broken packages.
 sbuild-build-depends-main-dummy : Depends: libfoo-dev (>= 2.0) but it is not installable
`;
  expect(unmetDependencies(log)).toEqual(['libfoo-dev (>= 2.0)', 'bar', 'baz (>= 3)']);
});

it.each(['E', 'E: '])(
  'finds what stands in the middle of an error that begins with %j',
  (begun) => {
    const log = `${begun} dummy : Depends: nowhere but it is not installable\n: Unable to correct problems\n`;
    expect(unmetDependencies(log)).toEqual(['nowhere']);
  },
);

it('finds nothing in a log without any', () => {
  expect(unmetDependencies('Depends: hello\nStatus: successful\n')).toEqual([]);
});

it.each([
  ['install-deps', ' dummy : Depends: nowhere but it is not installable', 'Dependency wait'],
  ['install-deps', 'E: Unable to fetch some archives', 'Failed to build'],
  ['apt-get-update', 'E: The repository does not have a Release file.', 'Chroot problem'],
  ['unpack', 'dpkg-source: error: syntax error', 'Failed to build'],
])('exit code 3 in the stage %s, after "%s", is %s', (stage, line, state) => {
  const end = { exitCode: 3, wasKilled: false, builtDir: '/nowhere' };
  expect(judge(end, `${line}\nFail-Stage: ${stage}\n`, 'log')).toMatchObject({ state });
});
