import {
  FILE_NAME,
  fileNameOfUrl,
  fileStem,
  namedSources,
  packagesInPpa,
  parseChangesName,
  parseDscName,
  SOURCE_NAME,
} from '../../../domain/packages/source-file.ts';

const store = (name: string) => `http://127.0.0.1:8080/store/uploads/${name}`;

test.each([
  ['hello_2.10-3_source.changes', { source: 'hello', version: '2.10-3' }],
  ['hello_2.10-3+b1~x_amd64.changes', { source: 'hello', version: '2.10-3+b1~x' }],
  ['hello_2.10-3.changes', undefined],
  ['hello_2.10-3_a_b.changes', undefined],
  ['_2.10-3_source.changes', undefined],
  ['hello_1:2.10-3_source.changes', undefined],
  ['-rf_1_source.changes', undefined],
  ['hello_2.10-3.dsc', undefined],
])('by its name the .changes %s is of %j', (name, expected) => {
  expect(parseChangesName(name)).toEqual(expected);
});

test('a .dsc says in its name what it is of', () => {
  expect(parseDscName('hello_2.10-3.dsc')).toEqual({ source: 'hello', version: '2.10-3' });
  expect(parseDscName('hello_2.10-3_source.dsc')).toBeUndefined();
});

test("the files of a version begin with its name, without the version's epoch", () => {
  expect(fileStem({ source: 'hello', version: '1:2.10-3' })).toBe('hello_2.10-3');
});

test.each([
  [store('hello_2.10%2Bb1.dsc?token=/x'), 'hello_2.10+b1.dsc'],
  [store('a.dsc#/x'), 'a.dsc'],
  [store('100%'), '100%'],
  ['http://host', ''],
  ['http://host?/a.dsc', ''],
  ['http://host/', ''],
  ['a/b.dsc', 'b.dsc'],
])('the file name of %s is %j', (url, name) => {
  expect(fileNameOfUrl(url)).toBe(name);
});

test('names of source packages and of files are short and plain', () => {
  expect(['a0', 'lib+x.y-1', 'a'.repeat(100)].every((name) => SOURCE_NAME.test(name))).toBe(true);
  for (const name of ['', 'a', '-a', 'Ab', 'a_b', 'a\n', 'a'.repeat(101)])
    expect(name).not.toMatch(SOURCE_NAME);
  for (const name of ['', '.a', '-a', 'a/b', 'a b', 'a\n', 'a'.repeat(256)])
    expect(name).not.toMatch(FILE_NAME);
});

test('what a request holds is read from the names of its .changes', () => {
  expect(
    namedSources([store('hello_2.10-3%2Bb1_source.changes'), store('hello_2.10.orig.tar.gz')]),
  ).toEqual([{ source: 'hello', version: '2.10-3+b1' }]);
});

test.each([
  ['in a query', store('x?y=/evil_1_source.changes')],
  ['in a fragment', store('x#/evil_1_source.changes')],
  ['in Markdown', store('%0A**evil**_1_source.changes')],
  ['behind a backslash', store('evil\\evil_1_source.changes')],
])('a .changes %s is none', (_, url) => {
  expect(namedSources([url, store('b_1_source.changes?x=/evil_2_source.changes')])).toEqual([
    { source: 'b', version: '1' },
  ]);
});

describe('what a retry may ask the PPA to build again', () => {
  const request = [store('a_1_source.changes'), store('b_2_source.changes')];
  const built = (name: string, version: string) => ({ package: name, version });

  test('each package once, with the version that the PPA shows', () => {
    expect(packagesInPpa(request, [built('a', '1:1'), built('a', '1:1'), built('b', '2')])).toEqual(
      [
        { source: 'a', version: '1:1' },
        { source: 'b', version: '2' },
      ],
    );
  });

  test.each([
    ['one is missing there', request, [built('a', '1')]],
    ['nothing is there', request, []],
    ['the request names none', [], []],
  ])('nothing where %s', (_, names, builds) => {
    expect(packagesInPpa(names, builds)).toBeUndefined();
  });
});
