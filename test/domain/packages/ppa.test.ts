import {
  acceptedPpa,
  ANY_DISTRIBUTION,
  distributionProblem,
  parsePpa,
  ppaPattern,
  ppaReference,
  readPpa,
} from '../../../domain/packages/ppa.ts';

describe('a PPA as callers write it', () => {
  test.each([
    ['ppa:owner/name', 'ubuntu', '~owner/ubuntu/name'],
    ['ppa:owner/debian/name', 'ubuntu', '~owner/debian/name'],
    ['~owner/debian/name', 'ubuntu', '~owner/debian/name'],
    ['owner/name', 'debian', '~owner/debian/name'],
    ['https://launchpad.net/~owner/+archive/debian/name', 'ubuntu', '~owner/debian/name'],
    ['https://launchpad.net/~owner/+archive/name/', 'ubuntu', '~owner/ubuntu/name'],
    ['ppa:ci-team+x/a.b-c', 'ubuntu', '~ci-team+x/ubuntu/a.b-c'],
  ])('%s on %s is %s', (text, archive, reference) => {
    const ppa = parsePpa(text, archive);
    expect(ppa && ppaReference(ppa)).toBe(reference);
  });

  test.each([
    '',
    'name',
    'ppa:',
    'ppa:owner',
    '~owner/name',
    'a/b/c/d',
    'ppa:owner/../x',
    'Owner/name',
    'https://launchpad.net/~owner/+archive/',
    'https://elsewhere.example/~owner/+archive/ubuntu/name',
    'ppa:o/n\n',
  ])('%j is none', (text) => {
    expect(parsePpa(text, 'ubuntu')).toBeUndefined();
  });
});

test.each(['Owner/Name', ' ppa:owner/name\n', 'PPA:Owner/Name', '~Owner/Ubuntu/Name'])(
  '%j, as people write it, is the PPA of the name in lower case',
  (text) => {
    expect(readPpa(text, 'ubuntu')).toEqual(parsePpa('owner/name', 'ubuntu'));
    expect(acceptedPpa({ ppa: text, archive: 'ubuntu' })).toEqual(readPpa(text, 'ubuntu'));
  },
);

test('the PPA of an accepted request is that of its text; a row that was changed by hand is an error', () => {
  const archive = 'debian';
  expect(ppaReference(acceptedPpa({ ppa: 'ppa:o/n', archive }))).toBe('~o/debian/n');
  expect(() => acceptedPpa({ ppa: 'nonsense', archive })).toThrow('"nonsense"');
});

test.each([
  ['~o/debian/n', 'debian', undefined],
  ['o/n', 'debian', undefined],
  ['~o/debian/n', undefined, undefined],
  ['~O/Ubuntu/n', 'debian', '~o/ubuntu/n is a PPA of ubuntu, not of debian.'],
])('of %s and the distribution %s is said: %s', (text, archive, problem) => {
  const ppa = readPpa(text, archive);
  expect(ppa && distributionProblem(ppa, archive)).toBe(problem);
});

test('the pattern of a PPA matches its texts of that distribution or none, and no other', () => {
  const of = (distribution: string) =>
    new RegExp(ppaPattern({ owner: 'c++', distribution, name: 'a.b' }), 'i');
  for (const text of ['c++/a.b', ' PPA:C++/A.B\n', 'https://launchpad.net/~c++/+archive/a.b/']) {
    expect(text).toMatch(of('kali'));
    expect(text).toMatch(of(ANY_DISTRIBUTION));
  }
  for (const text of ['~c++/debian/a.b', 'ppa:c++/debian/a.b']) {
    expect(text).not.toMatch(of('kali'));
    expect(text).toMatch(of(ANY_DISTRIBUTION));
  }
  for (const text of ['ccc/a.b', 'c++/axb', 'x-c++/a.b', 'c++/a.bc'])
    expect(text).not.toMatch(of(ANY_DISTRIBUTION));
});
