import { formatProblem } from '../../../domain/packages/source-format.ts';

const problemOf = (format: string, ...endings: string[]) =>
  formatProblem({ format, files: endings.map((ending) => ({ name: `hello_2.10-3.${ending}` })) });

describe('Launchpad takes', () => {
  test.each([
    ['1.0', 'tar.gz'],
    ['1.0', 'orig.tar.gz', 'diff.gz'],
    ['1.0', 'orig.tar.gz', 'orig.tar.gz.asc', 'diff.gz'],
    ['3.0 (native)', 'tar.xz'],
    ['3.0 (native)', 'tar.bz2'],
    ['3.0 (quilt)', 'orig.tar.gz', 'debian.tar.xz'],
    ['3.0 (quilt)', 'debian.tar.bz2', 'orig.tar.xz', 'orig.tar.xz.asc'],
    [
      '3.0 (quilt)',
      'orig.tar.gz',
      'orig-one.tar.xz',
      'orig-one.tar.xz.asc',
      'orig-the-other.tar.bz2',
      'debian.tar.xz',
    ],
  ])('format %s with %s %s %s', (format, ...endings) => {
    expect(problemOf(format, ...endings)).toBeUndefined();
  });
});

describe('Launchpad rejects', () => {
  test.each(['2.0', '3.0 (git)', '3.0 (custom)', '3.0', ''])(
    'format %j, and it is named',
    (format) => {
      expect(problemOf(format, 'orig.tar.gz', 'debian.tar.gz')).toBe(
        `Launchpad takes the formats 1.0, 3.0 (native) and 3.0 (quilt), not ${JSON.stringify(format)}`,
      );
    },
  );

  test.each([
    ['1.0', 'tar.xz'],
    ['1.0', 'tar.bz2'],
    ['1.0', 'orig.tar.gz', 'diff.xz'],
    ['1.0', 'orig.tar.xz', 'diff.gz'],
    ['1.0', 'orig.tar.gz', 'debian.tar.gz'],
    ['1.0', 'orig.tar.gz', 'orig-one.tar.gz', 'diff.gz'],
    ['1.0', 'orig.tar.gz'],
    ['3.0 (native)', 'tar.zst'],
    ['3.0 (native)', 'tar.xz', 'diff.gz'],
    ['3.0 (native)', 'orig.tar.xz', 'debian.tar.xz'],
    ['3.0 (quilt)', 'tar.xz'],
    ['3.0 (quilt)', 'orig.tar.gz', 'debian.tar.lzma'],
    ['3.0 (quilt)', 'orig.tar.zst', 'debian.tar.xz'],
    ['3.0 (quilt)', 'orig.tar.gz', 'orig.tar.xz', 'debian.tar.xz'],
    ['3.0 (quilt)', 'orig.tar.gz', 'orig-one.tar.lzma', 'debian.tar.xz'],
    ['3.0 (quilt)', 'orig.tar.gz', 'diff.gz'],
    ['3.0 (quilt)', 'orig-one.tar.gz', 'debian.tar.xz'],
    ['3.0 (quilt)', 'orig.tar.gz', 'debian.tar.xz', 'debian.tar.gz'],
  ])('format %s with %s %s %s, and they are named', (format, ...endings) => {
    const problem = problemOf(format, ...endings);
    expect(problem).toContain(`in format ${format} `);
    for (const ending of endings) expect(problem?.split(' ')).toContain(ending);
  });

  test('a source of very many files, and names some of them', () => {
    const many = Array.from({ length: 1_000 }, (_, number) => `orig-${number}.tar.gz`);
    expect(problemOf('3.0 (native)', ...many)?.length).toBeLessThan(400);
  });
});
