import { judge, unmetDependencies } from '../../../stand-in/builders/sbuild-builder.ts';

it('reads what apt misses out of a log, once each', () => {
  const log = `
The following packages have unmet dependencies:
 sbuild-build-depends-main-dummy : Depends: libfoo-dev (>= 2.0) but it is not installable
                                   Depends: bar but it is a virtual package
                                   Depends: baz (>= 3) but 2.1 is to be installed
                                   Depends: qux (<< 2) but 2.1 is installed
E: Unable to correct problems, you have held broken packages.
 sbuild-build-depends-main-dummy : Depends: libfoo-dev (>= 2.0) but it is not installable
`;
  expect(unmetDependencies(log)).toEqual([
    'libfoo-dev (>= 2.0)',
    'bar',
    'baz (>= 3)',
    'qux (<< 2)',
  ]);
});

it.each(['E', 'E: '])(
  'finds what stands in the middle of an error that begins with %j',
  (begun) => {
    const log = `${begun} dummy : Depends: nowhere but it is not installable\n: Unable to correct problems\n`;
    expect(unmetDependencies(log)).toEqual(['nowhere']);
  },
);

describe('what apt is not going to install', () => {
  const unmet = (...lines: string[]) =>
    unmetDependencies(`The following packages have unmet dependencies:\n${lines.join('\n')}\n`);
  const because = 'but it is not going to be installed';

  it('is missed where the build itself needs a version of it', () => {
    expect(
      unmet(
        ` sbuild-build-depends-main-dummy : Depends: zlib1g-dev (>= 2:9.9) ${because}`,
        `                                   Depends: libfoo-dev (>= 2) ${because}`,
      ),
    ).toEqual(['zlib1g-dev (>= 2:9.9)', 'libfoo-dev (>= 2)']);
  });

  it('is there where any version does: what it needs itself is at fault', () => {
    expect(unmet(` sbuild-build-depends-main-dummy : Depends: libbar-dev ${because}`)).toEqual([]);
  });

  it('is not missed where something else needs it: nobody knows which of the two is to change', () => {
    expect(
      unmet(
        ` sbuild-build-depends-main-dummy : Depends: libbar-dev ${because}`,
        ` libbar-dev : Depends: libqux (= 3) ${because}`,
        `              Depends: libfoo (= 3) ${because}`,
      ),
    ).toEqual([]);
  });
});

it('finds nothing in a log without any', () => {
  expect(unmetDependencies('Depends: hello\nStatus: successful\n')).toEqual([]);
});

it.each([
  ['install-deps', ' dummy : Depends: nowhere but it is not installable', 'Dependency wait'],
  ['install-deps', ' dummy : Depends: mta but it is a virtual package', 'Dependency wait'],
  ['install-deps', ' dummy : Depends: bar (>= 3) but 2.1 is installed', 'Dependency wait'],
  ['install-deps', ' dummy : Depends: bar but it is not going to be installed', 'Failed to build'],
  ['install-deps', 'E: Unable to fetch some archives', 'Failed to build'],
  ['apt-get-update', 'E: The repository does not have a Release file.', 'Chroot problem'],
  ['unpack', 'dpkg-source: error: syntax error', 'Failed to build'],
])('exit code 3 in the stage %s, after "%s", is %s', (stage, line, state) => {
  const end = { exitCode: 3, wasKilled: false, builtDir: '/nowhere' };
  expect(judge(end, `${line}\nFail-Stage: ${stage}\n`, 'log')).toMatchObject({ state });
});
