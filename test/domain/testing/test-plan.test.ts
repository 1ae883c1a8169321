import {
  BINARY_FIELDS,
  createArchiveIndexer,
  SOURCE_FIELDS,
  type ArchiveIndex,
} from '../../../domain/packages/archive-index.ts';
import { createStanzaReader } from '../../../domain/packages/control-stanza.ts';
import { testsOf, type Change } from '../../../domain/testing/test-plan.ts';

const SOURCES = `Package: hello
Version: 2.10-3
Testsuite: autopkgtest
Files:
 0123 1700 hello_2.10-3.dsc
 4567 700000 hello_2.10.orig.tar.gz

Package: ed
Version: 1.19-1
Binary: ed
Testsuite: autopkgtest

Package: greeter
Version: 1:2-1
Testsuite: autopkgtest-pkg-perl
Testsuite-Triggers: hello, gcc

Package: shell
Version: 5-1
Testsuite: autopkgtest
Testsuite-Triggers: hello

Package: untested
Version: 1-1
Testsuite-Triggers: hello
`;
/** What an archive of updates says: a later version, and one that is not. */
const UPDATES = `Package: greeter
Version: 1:2-1+deb1
Testsuite: autopkgtest
Testsuite-Triggers: hello

Package: shell
Version: 4-1
`;
const PACKAGES = `Package: hello
Depends: libc6
Provides: greeting (= 2.10), salute

Package: ed
Depends: libc6 (>= 2.34), mailer | hello

Package: greeter-bin
Source: greeter (1:2-1)
Depends: libc6,
 greeting [linux-any]
Pre-Depends: hello:any (>= 2)

Package: untested
Depends: hello
`;

/** @param size of the pieces that the reader gets */
function indexOf(sources: readonly string[], packages: string, size = 1_000): ArchiveIndex {
  const indexer = createArchiveIndexer();
  const read = (text: string, reader: ReturnType<typeof createStanzaReader>) => {
    for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
    reader.end();
  };
  for (const text of sources) read(text, createStanzaReader(SOURCE_FIELDS, indexer.addSource));
  read(packages, createStanzaReader(BINARY_FIELDS, indexer.addBinary));
  return indexer.index();
}

const INDEX = indexOf([SOURCES, UPDATES], PACKAGES);
const ALL = { suites: [], withDependents: true, maxRuns: 200 };
/** A package, as a `.dsc` lists it. */
const made = (name: string, architecture = 'any', profiles: string[][] = []) => ({
  name,
  isOfInstaller: false,
  architectures: [architecture],
  profiles,
});
/** One that the installer of Debian installs, and no image has. */
const udeb = (name: string) => ({
  ...made(name, 'any'),
  isOfInstaller: true,
});
const HELLO = { source: 'hello', version: '2.10-4', isTested: true, packages: [made('hello')] };
const CHANGE: Change = { sources: [HELLO], binaries: ['hello'], architecture: 'arm64' };

describe('the index of an archive', () => {
  test('has the sources with tests in their highest version', () => {
    expect(INDEX.sources).toEqual([
      { name: 'hello', version: '2.10-3', bytes: 701_700 },
      { name: 'ed', version: '1.19-1', bytes: 0 },
      { name: 'greeter', version: '1:2-1+deb1', bytes: 0 },
      { name: 'shell', version: '5-1', bytes: 0 },
    ]);
  });

  test('has what depends on a name, of tested sources alone, and what is provided', () => {
    expect(INDEX).toMatchObject({
      dependents: { hello: [1, 2], greeting: [2], mailer: [1], libc6: [0, 1, 2] },
      triggered: { hello: [2, 3] },
      provides: { hello: ['greeting', 'salute'] },
    });
    expect(INDEX.triggered).not.toHaveProperty('gcc');
  });

  test.each([1, 7])('is the same where it is read %i characters at a time', (size) => {
    expect(indexOf([SOURCES, UPDATES], PACKAGES, size)).toEqual(INDEX);
  });
});

describe('the tests of a landing', () => {
  test('are those of what is changed, then of dependents, then of test triggers', () => {
    expect(testsOf(CHANGE, INDEX, ALL)).toEqual({
      tests: [
        { source: 'hello', version: '2.10-4', reason: 'changed', why: 'is changed' },
        { source: 'ed', version: '1.19-1', reason: 'depends', why: 'depends on hello' },
        {
          source: 'greeter',
          version: '1:2-1+deb1',
          reason: 'depends',
          why: 'depends on hello, greeting',
        },
        {
          source: 'shell',
          version: '5-1',
          reason: 'triggered',
          why: 'has the test trigger hello',
        },
      ],
      left: 0,
    });
  });

  test('are of the landing where it changes the dependent, too', () => {
    const ed = { source: 'ed', version: '1.20-1', isTested: true, packages: [made('ed')] };
    const change = { ...CHANGE, sources: [HELLO, ed], binaries: ['hello', 'ed'] };
    const { tests } = testsOf(change, INDEX, ALL);
    expect(tests.map(({ source, reason }) => `${source} ${reason}`)).toEqual([
      'hello changed',
      'ed changed',
      'greeter depends',
      'shell triggered',
    ]);
    expect(tests[1]).toMatchObject({ version: '1.20-1' });
  });

  test('are those of the changed sources alone where the policy says so', () => {
    const { tests } = testsOf(CHANGE, INDEX, { ...ALL, withDependents: false });
    expect(tests.map(({ source }) => source)).toEqual(['hello']);
  });

  test('are at most so many, and the rest is counted', () => {
    const { tests, left } = testsOf(CHANGE, INDEX, { ...ALL, maxRuns: 3 });
    expect(tests.map(({ source }) => source)).toEqual(['hello', 'ed', 'greeter']);
    expect(left).toBe(1);
  });

  describe('of a changed source of which the image has no packages', () => {
    const plannedWith = (
      packages: Change['sources'][number]['packages'],
      binaries: string[],
      { isTested = true, withDependents = false } = {},
    ) => {
      const ed = { source: 'ed', version: '1.20-1', isTested, packages };
      const suites = isTested ? [{ id: 7, name: 'smoke', source: 'ed' }] : [];
      const change = { ...CHANGE, sources: [ed], binaries };
      return testsOf(change, INDEX, { ...ALL, suites, withDependents }).tests;
    };
    const run = { source: 'ed', version: '1.20-1', reason: 'changed', why: 'is changed' };
    const missing = { ...run, fault: 'The PPA has no packages of ed for arm64.' };

    test.each<[string, Change['sources'][number]['packages']]>([
      ['has none for the architecture', [made('ed', 'amd64'), made('red', 'any-i386')]],
      ['makes them with a build profile alone', [made('ed', 'any', [['pkg.ed.all']])]],
    ])('are left out where it %s', (_, packages) => {
      expect(plannedWith(packages, [])).toEqual([]);
    });

    test.each(['any', 'linux-any', 'any-arm64', 'arm64', 'all'])(
      'cannot be had where it should have some there: %s',
      (architecture) => {
        expect(plannedWith([made('ed', 'amd64'), made('red', architecture)], [])).toEqual([
          missing,
        ]);
      },
    );

    test('cannot be had where it has those for all architectures alone, which is not all of it', () => {
      expect(plannedWith([made('ed'), made('ed-doc', 'all')], ['ed-doc'])).toEqual([missing]);
      expect(plannedWith([made('ed', 'amd64'), made('ed-doc', 'all')], ['ed-doc'])).toEqual([run]);
    });

    test('cannot be had where it has no tests of its own, as what depends on it cannot be found', () => {
      const untested = { isTested: false, withDependents: true };
      expect(plannedWith([made('ed')], [], untested)).toEqual([missing]);
      expect(plannedWith([made('ed'), made('ed-doc', 'all')], ['ed-doc'], untested)).toEqual([
        missing,
      ]);
      expect(plannedWith([made('ed', 'amd64')], [], untested)).toEqual([]);
      expect(plannedWith([], [], untested)).toEqual([]);
      expect(plannedWith([made('ed')], [], { ...untested, withDependents: false })).toEqual([]);
    });

    test("are not missed for the installer's packages, which no image has", () => {
      const untested = { isTested: false, withDependents: true };
      expect(plannedWith([udeb('ed-udeb')], [], untested)).toEqual([]);
      const beside = [udeb('ed-udeb'), made('ed-data', 'all')];
      expect(plannedWith(beside, ['ed-data'])).toEqual([run]);
      expect(plannedWith(beside, ['ed-data'], untested)).toEqual([]);
      expect(plannedWith([udeb('ed-udeb')], [])).toEqual([missing]);
    });

    test('are run where the image has one of them, or nothing tells its packages', () => {
      expect(plannedWith([made('ed'), made('red')], ['red'])).toEqual([run]);
      expect(plannedWith([], [])).toEqual([run]);
    });
  });

  test('are none where nothing has tests: a plan of none is empty', () => {
    const sources = [{ source: 'quiet', version: '1', isTested: false, packages: [made('quiet')] }];
    // Names that every object has are no packages.
    const binaries = ['quiet', 'constructor', '__proto__', 'toString'];
    expect(testsOf({ ...CHANGE, sources, binaries }, INDEX, ALL)).toEqual({ tests: [], left: 0 });
  });

  test('name three binaries of many', () => {
    const index = indexOf(
      ['Package: user\nVersion: 1\nTestsuite: autopkgtest\n'],
      'Package: user\nDepends: a, b, c, d, e\n',
    );
    const many = { ...CHANGE, sources: [], binaries: ['a', 'b', 'c', 'd', 'e'] };
    expect(testsOf(many, index, ALL).tests[0]?.why).toBe('depends on a, b, c and 2 more');
  });

  test('are counted where there are thousands', () => {
    const count = 5_000;
    const all = Array.from({ length: count }, (_, place) => place);
    const index: ArchiveIndex = {
      sources: all.map((place) => ({ name: `user${place}`, version: '1', bytes: 1 })),
      dependents: { libc6: all, 'libc6-dev': all },
      triggered: {},
      provides: {},
    };
    const libc: Change = {
      ...CHANGE,
      sources: [{ source: 'glibc', version: '1', isTested: true, packages: [made('libc6')] }],
      binaries: ['libc6', 'libc6-dev'],
    };
    const { tests, left } = testsOf(libc, index, ALL);
    expect({ tests: tests.length, left }).toEqual({ tests: 200, left: count + 1 - 200 });
  });
});

describe("the ticket's test suites", () => {
  const suite = (source: string | null, name = 'smoke') => ({ id: 7, name, source });
  const planned = (one: ReturnType<typeof suite>) =>
    testsOf(CHANGE, INDEX, { ...ALL, suites: [one], withDependents: false }).tests.slice(1);

  test('are the tests of the source package that they name, before those of dependents', () => {
    expect(planned(suite('shell'))).toEqual([
      { source: 'shell', version: '5-1', reason: 'suite', why: 'is the test suite smoke' },
    ]);
    const { tests } = testsOf(CHANGE, INDEX, { ...ALL, suites: [suite('greeter')] });
    expect(tests.map(({ source, reason }) => `${source} ${reason}`)).toEqual([
      'hello changed',
      'greeter suite',
      'ed depends',
      'shell triggered',
    ]);
  });

  test('are run once where the landing changes their source package', () => {
    expect(planned(suite('hello'))).toEqual([]);
  });

  test.each([
    [suite(null), 'test suite smoke', 'The test suite smoke names no source package.'],
    [suite(null, ''), 'test suite 7', 'The test suite 7 names no source package.'],
    [suite('untested'), 'untested', 'The archive has no tests of untested.'],
    [suite('unknown'), 'unknown', 'The archive has no tests of unknown.'],
  ])('say why they cannot be run: %o', (one, source, fault) => {
    expect(planned(one)).toEqual([
      expect.objectContaining({ source, version: '', reason: 'suite', fault }),
    ]);
  });

  test('say so where the landing takes their tests away', () => {
    const untested = { ...CHANGE, sources: [{ ...HELLO, isTested: false }] };
    const { tests } = testsOf(untested, INDEX, {
      ...ALL,
      suites: [suite('hello')],
      withDependents: false,
    });
    expect(tests).toEqual([
      expect.objectContaining({ source: 'hello', fault: 'hello has no tests any more.' }),
    ]);
  });
});
