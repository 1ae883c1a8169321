import { mergeText } from '../../../domain/builds/merge-text.ts';

const merge = {
  source_repository: 'https://git.example/hello.git',
  source_branch: 'fix',
  target_repository: 'https://git.example/hello.git',
  target_branch: 'main',
};
const commits = { source: '1234567890abcdef'.repeat(2), target: 'fedcba0987654321'.repeat(2) };

test.each([
  [
    'a merge within a repository',
    merge,
    undefined,
    'fix into main of https://git.example/hello.git',
  ],
  [
    'one from another repository',
    { ...merge, source_repository: 'https://git.example/ben/hello.git' },
    undefined,
    'fix of https://git.example/ben/hello.git into main of https://git.example/hello.git',
  ],
  [
    'one whose commits are known',
    merge,
    commits,
    '1234567890ab of fix into fedcba098765 of main of https://git.example/hello.git',
  ],
  [
    'one that is still to be done',
    merge,
    { source: commits.source },
    '1234567890ab of fix into main of https://git.example/hello.git',
  ],
])('says in words %s', (_, branches, made, words) => {
  expect(mergeText(branches, made)).toBe(words);
});
