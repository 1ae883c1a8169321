import { readTutorial, writeTutorial } from './page.ts';

const PAGE = `# A page

\`\`\`console
$ ls
old
$ cd /
\`\`\`

<!-- page: /build/1 once it builds -->

![A build](tutorial/build.png)

<!-- runs until the end -->

\`\`\`console
$ npm start
\`\`\`
`;

describe('a page of commands and pictures', () => {
  const parts = readTutorial(PAGE);

  it('has its commands, without what they printed before', () => {
    expect(parts.filter(({ kind }) => kind === 'transcript')).toEqual([
      { kind: 'transcript', commands: ['ls', 'cd /'], isLasting: false },
      { kind: 'transcript', commands: ['npm start'], isLasting: true },
    ]);
  });

  it('has its pictures, with the address and what is waited for', () => {
    expect(parts.filter(({ kind }) => kind === 'picture')).toEqual([
      { kind: 'picture', address: '/build/1', once: 'it builds', file: 'tutorial/build.png' },
    ]);
  });

  it('is written again with what the commands have printed', () => {
    const [first, last] = parts.filter(({ kind }) => kind === 'transcript');
    const page = writeTutorial(
      parts,
      new Map([
        [first as (typeof parts)[number], ['new  \nmore\n', '']],
        [last as (typeof parts)[number], ['ready\n']],
      ]),
    );
    expect(page).toBe(
      PAGE.replace('old\n', 'new\nmore\n').replace('npm start\n', 'npm start\nready\n'),
    );
  });

  it('is refused where a block does not end, or a picture is missing', () => {
    expect(() => readTutorial('```console\n$ ls\n')).toThrow('line 1 does not end');
    expect(() => readTutorial('<!-- page: / -->\n\nno picture\n')).toThrow('line 1');
  });
});
