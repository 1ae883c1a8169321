import { orderByDependencies } from '../../../domain/builds/build-order.ts';
import { AirlineError } from '../../../domain/errors.ts';
import { parseRelations } from '../../../domain/packages/package-relation.ts';
import { parseSourceControl } from '../../../domain/packages/source-package.ts';

type Described = {
  version?: string;
  architecture?: string;
  /** Lines of Package-List; by default one package, named as the source. */
  makes?: readonly string[];
  /** In place of Package-List. */
  binary?: string;
  needs?: string;
  needsArch?: string;
  needsIndep?: string;
};

/** What is read of a `.dsc`. */
function dsc(name: string, described: Described = {}) {
  const { version = '1.0', architecture = 'any', makes, binary } = described;
  const field = (title: string, value: string | undefined) =>
    value === undefined ? [] : [`${title}: ${value}`];
  const list = makes ?? [`${name} deb misc optional arch=${architecture.replaceAll(' ', ',')}`];
  return parseSourceControl(
    [
      'Format: 3.0 (native)',
      `Source: ${name}`,
      `Binary: ${binary ?? name}`,
      `Architecture: ${architecture}`,
      `Version: ${version}`,
      ...field('Build-Depends', described.needs),
      ...field('Build-Depends-Arch', described.needsArch),
      ...field('Build-Depends-Indep', described.needsIndep),
      ...(binary === undefined ? ['Package-List:', ...list.map((line) => ` ${line}`)] : []),
      `Checksums-Sha1:\n ${'a'.repeat(40)} 1 ${name}_1.tar.xz`,
      `Checksums-Sha256:\n ${'a'.repeat(64)} 1 ${name}_1.tar.xz`,
      `Files:\n ${'a'.repeat(32)} 1 ${name}_1.tar.xz`,
      '',
    ].join('\n'),
  );
}

/** Whether `app` is built after `lib`, of which it needs this. */
function waits(needs: string, lib: Described = {}, app: Described = {}): boolean {
  const [, place] = orderByDependencies([dsc('lib', lib), dsc('app', { needs, ...app })]);
  return place?.level === 1;
}

const levels = (...sources: ReturnType<typeof dsc>[]) =>
  orderByDependencies(sources).map(({ level }) => level);

describe('the order among source packages', () => {
  test('puts each after those whose binaries it needs, whatever the order of the request', () => {
    expect(
      orderByDependencies([
        dsc('app', { needs: 'debhelper-compat (= 13), libmid-dev, libbase-dev (>= 1)' }),
        dsc('mid', { makes: ['libmid-dev deb libs optional arch=any'], needs: 'libbase-dev' }),
        dsc('alone'),
        dsc('base', {
          makes: ['libbase1 deb libs optional arch=any', 'libbase-dev deb libs optional arch=any'],
        }),
        dsc('other', { needs: 'libbase1' }),
      ]),
    ).toEqual([
      { level: 2, after: [1, 3] },
      { level: 1, after: [3] },
      { level: 0, after: [] },
      { level: 0, after: [] },
      { level: 1, after: [3] },
    ]);
  });

  test('is one level where none needs another, and for one package alone', () => {
    expect(levels(dsc('a2', { needs: 'zlib1g-dev' }), dsc('b2'))).toEqual([0, 0]);
    expect(levels(dsc('a2'))).toEqual([0]);
    expect(levels()).toEqual([]);
  });

  test('takes what a package needs of itself from the archive', () => {
    expect(levels(dsc('ghc', { needs: 'ghc' }))).toEqual([0]);
  });

  test('goes by Binary where there is no Package-List', () => {
    expect(waits('lib2', { binary: 'lib1, lib2' })).toBe(true);
    expect(waits('lib3', { binary: 'lib1, lib2' })).toBe(false);
  });

  test('takes the maker of the highest version where several make a binary package', () => {
    const makes = ['tool deb misc optional arch=any'];
    expect(
      orderByDependencies([
        dsc('old', { makes, version: '9.0' }),
        dsc('new', { makes, version: '10.0' }),
        dsc('app', { needs: 'tool' }),
      ])[2],
    ).toEqual({ level: 1, after: [1] });
  });

  test.each([
    ['one of all architectures', 'lib', true],
    ['another package', 'lib2', false],
    ['a folded field', 'gcc,\n lib,\n make', true],
    ['any architecture of it', 'lib:any', true],
    ['the native one', 'lib:native (>= 1) [linux-any] <!nocheck>', true],
    ['a version that is made', 'lib (>= 1.0)', true],
    ['a version that is made, without blanks', 'lib(>=1.0)', true],
    ['exactly the version', 'lib (= 1.0)', true],
    ['a newer version', 'lib (>> 1.0)', false],
    ['an older version', 'lib (<< 1.0)', false],
    ['another epoch', 'lib (>= 1:0.1)', false],
    ['at most the version, as it once was written', 'lib (< 1.0)', true],
    ['an architecture of PPAs', 'lib [amd64 hurd-i386]', true],
    ['no architecture of PPAs', 'lib [hurd-any kfreebsd-amd64 sparc64]', false],
    ['a wildcard of processors', 'lib [any-arm]', true],
    ['a wildcard of the C library', 'lib [gnu-linux-any]', true],
    ['a wildcard of an ABI', 'lib [eabihf-gnu-linux-arm]', true],
    ['another C library', 'lib [musl-linux-any]', false],
    ['all but one architecture', 'lib [!amd64]', true],
    ['all but every architecture', 'lib [!linux-any]', false],
    ['what a build profile switches off', 'lib <nocheck>', false],
    ['what a build profile would switch off', 'lib <!nocheck>', true],
    ['one of two profiles that would', 'lib <cross> <!stage1 !nocheck>', true],
    ['a profile beside one that would', 'lib <!nocheck stage1>', false],
    ['the first alternative', 'lib | lib2', true],
    ['an alternative that no builder takes', 'lib2 | lib', false],
    ['an alternative for what is left of the architectures', 'lib2 [amd64] | lib', true],
    ['an alternative where nothing is left', 'lib2 [linux-any] | lib', false],
    ['an alternative behind one that a profile switches off', 'lib2 <stage1> | lib', true],
  ])('waits as Debian has it for %s', (_what, needs, isWaitedFor) => {
    expect(waits(needs)).toBe(isWaitedFor);
  });

  test.each<[string, Described, Described, boolean]>([
    [
      'made for another architecture only',
      { architecture: 'armhf' },
      { architecture: 'amd64' },
      false,
    ],
    [
      'made for one of its architectures',
      { architecture: 'armhf amd64' },
      { architecture: 'amd64' },
      true,
    ],
    ['made for all', { architecture: 'all' }, { architecture: 'amd64' }, true],
    [
      'made with a build profile only',
      { makes: ['lib deb misc optional arch=any profile=stage1'] },
      {},
      false,
    ],
    [
      'made without a build profile, or with another',
      { makes: ['lib deb misc optional arch=any profile=!stage1+cross'] },
      {},
      true,
    ],
    [
      'made without a build profile, but only with another',
      { makes: ['lib deb misc optional arch=any profile=stage1,!nodoc'] },
      {},
      false,
    ],
  ])('and for what is %s', (_what, lib, app, isWaitedFor) => {
    expect(waits('lib', lib, app)).toBe(isWaitedFor);
  });

  test('counts Build-Depends-Arch and -Indep only where such packages are made', () => {
    const level = (architecture: string, field: 'needsArch' | 'needsIndep') =>
      levels(dsc('lib'), dsc('app', { architecture, [field]: 'lib' }))[1];
    expect(level('any', 'needsArch')).toBe(1);
    expect(level('all', 'needsArch')).toBe(0);
    expect(level('any', 'needsIndep')).toBe(0);
    expect(level('all', 'needsIndep')).toBe(1);
    expect(level('any all', 'needsIndep')).toBe(1);
  });

  test('is refused where it is a circle, which is named', () => {
    expect(() =>
      orderByDependencies([
        dsc('first', { needs: 'b2' }),
        dsc('a2', { needs: 'b2' }),
        dsc('b2', { needs: 'libc-dev' }),
        dsc('c2', { makes: ['libc-dev deb libs optional arch=all'], needs: 'a2' }),
      ]),
    ).toThrow(
      new AirlineError(
        'dependency_cycle',
        'The source packages build-depend on each other in a cycle: b2 needs libc-dev of c2, c2 needs a2 of a2, a2 needs b2 of b2',
      ),
    );
  });

  test('is refused where a field is no list of dependencies', () => {
    expect(() => levels(dsc('app', { needs: 'lib (>= 1) and more' }))).toThrow(
      expect.objectContaining({ code: 'malformed_control_file' }),
    );
  });
});

describe('what is long and hostile', () => {
  const LENGTH = 1_000_000;
  const inAMoment = (work: () => unknown) => {
    const startedAt = performance.now();
    work();
    // What goes back over what it has read would need hours.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  };

  it.each([
    ['blanks', `lib${' '.repeat(LENGTH)}x`],
    ['commas', ','.repeat(LENGTH)],
    ['bars', '|'.repeat(LENGTH)],
    ['brackets', 'lib ' + '['.repeat(LENGTH)],
    ['profiles', 'lib ' + '<a> '.repeat(LENGTH / 4)],
    ['profiles without an end', 'lib ' + '<a'.repeat(LENGTH / 2)],
    ['architectures', `lib [${'amd64 '.repeat(LENGTH / 6)}`],
    ['a version', `lib (>= ${'1.'.repeat(LENGTH / 2)})`],
    ['a name', 'a'.repeat(LENGTH)],
  ])('is read in a moment: %s', (_what, text) => inAMoment(() => parseRelations(text)));

  test('350 packages that all need those before them, and 60,000 things besides', () => {
    const names = Array.from({ length: 350 }, (_, at) => `package-${at}`);
    const much = Array.from({ length: 60_000 }, (_, at) => `lib (>= ${at})`).join(', ');
    const sources = names.map((name, at) =>
      dsc(name, { needs: [...names.slice(0, at), ...(at === 349 ? [much] : [])].join(', ') }),
    );
    inAMoment(() => {
      const places = orderByDependencies(sources);
      expect(places.map(({ level }) => level)).toEqual(names.map((_, at) => at));
      expect(places.at(-1)?.after).toHaveLength(349);
    });
  });

  test('350 packages in one circle, of which the error names some', () => {
    const sources = Array.from({ length: 350 }, (_, at) =>
      dsc(`package-${at}`, { needs: `package-${(at + 1) % 350}` }),
    );
    inAMoment(() =>
      expect(() => orderByDependencies(sources)).toThrow(
        /package-0 needs package-1 of package-1, .* 330 more, package-349 needs package-0 of package-0$/,
      ),
    );
  });

  test('many packages without architectures of their own, and many architectures', () => {
    const makes = Array.from({ length: 14_000 }, (_, at) => `p${at}`);
    const sources = [dsc('lib', { makes, architecture: 'x '.repeat(15_000) + 'amd64' })];
    inAMoment(() => expect(orderByDependencies(sources)).toEqual([{ level: 0, after: [] }]));
  });

  test('a version of 1 MB', () => {
    const sources = [
      dsc('lib', { version: `${'1'.repeat(LENGTH)}:1` }),
      dsc('app', { needs: 'lib (>= 1)' }),
    ];
    inAMoment(() => expect(() => orderByDependencies(sources)).toThrow(AirlineError));
  });
});
