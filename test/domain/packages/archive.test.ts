import {
  archiveReference,
  parseArchive,
  readArchive,
  suiteOf,
  usualPocket,
} from '../../../domain/packages/archive.ts';

it.each([
  ['~o/ubuntu/p', { owner: 'o', distribution: 'ubuntu', name: 'p' }],
  ['ubuntu', { distribution: 'ubuntu' }],
])('reads the reference %s, and writes it', (reference, archive) => {
  expect(parseArchive(reference)).toEqual(archive);
  expect(archiveReference(archive)).toBe(reference);
});

it.each(['', 'ppa:o/p', 'o/p', '~o', '~o/ubuntu', 'ubuntu/primary', 'Ubuntu', '~o/ubuntu/p/x'])(
  'reads no other form: %p',
  (text) => {
    expect(parseArchive(text)).toBeUndefined();
  },
);

it.each([
  [' PPA:O/p', { owner: 'o', distribution: 'debian', name: 'p' }],
  ['~o/ubuntu/p', { owner: 'o', distribution: 'ubuntu', name: 'p' }],
  ['Ubuntu\n', { distribution: 'ubuntu' }],
  ['~o', undefined],
  ['', undefined],
])('reads %p as people write it', (text, archive) => {
  expect(readArchive(text, 'debian')).toEqual(archive);
});

it('names suites as apt does', () => {
  expect([suiteOf('noble', 'Release'), suiteOf('noble', 'Proposed')]).toEqual([
    'noble',
    'noble-proposed',
  ]);
});

it.each([
  ['~o/ubuntu/p', 'Release'],
  ['ubuntu', 'Proposed'],
])('publishes in %s in the pocket %s, where nobody names another', (reference, pocket) => {
  const archive = parseArchive(reference);
  expect(archive && usualPocket(archive)).toBe(pocket);
});
