import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveAptSources, readAptSources, readMachine, urisOf } from '../../sandbox/machine.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let aptDir: string;
beforeEach(() => {
  aptDir = temporaryDirectory();
  mkdirSync(join(aptDir, 'sources.list.d'));
});
const texts = async (series: string) =>
  (await readAptSources(series, aptDir)).map(({ text }) => text);

it('finds the stanzas and lines of a series and its pockets, and no others', async () => {
  writeFileSync(
    join(aptDir, 'sources.list'),
    [
      '# a comment',
      'deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main',
      'deb-src http://mirror.example/debian bookworm main',
      'deb http://mirror.example/debian-security bookworm-security main',
      'deb http://mirror.example/debian trixie main',
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(aptDir, 'sources.list.d', 'debian.sources'),
    [
      '# a comment',
      'Types: deb deb-src',
      'URIs: http://mirror.example/debian',
      'Suites: bookworm bookworm-updates',
      'Components: main',
      '',
      'Types: deb-src',
      'URIs: http://mirror.example/debian',
      'Suites: bookworm',
      'Components: main',
      '',
      'Enabled: no',
      'Types: deb',
      'URIs: http://mirror.example/debian',
      'Suites: bookworm-backports',
      'Components: main',
      '',
      'Types: deb',
      'URIs: https://vendor.example/apt',
      'Suites: stable',
      'Components: main',
    ].join('\n'),
  );
  writeFileSync(join(aptDir, 'sources.list.d', 'old.list.save'), 'deb http://x bookworm main\n');
  expect(await texts('bookworm')).toEqual([
    'deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main\ndeb http://mirror.example/debian-security bookworm-security main\n',
    'Types: deb deb-src\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n',
  ]);
  expect(await texts('sid')).toEqual([]);
});

it('leaves out suites of others that are named after the series, and takes all of its pockets', async () => {
  const line = (suite: string) => `deb http://mirror.example/debian ${suite} main\n`;
  const pockets = ['updates', 'security', 'proposed', 'backports'].map((one) => `noble-${one}`);
  const others = ['noble-pgdg', 'noble-infra-security', 'noble-debug', 'nobles-updates'];
  writeFileSync(join(aptDir, 'sources.list'), ['noble', ...pockets, ...others].map(line).join(''));
  const debians = ['bookworm-proposed-updates', 'bookworm-backports-sloppy'];
  const stanza = (suites: string) => `Types: deb\nURIs: http://x\n${suites}\nComponents: main\n`;
  writeFileSync(
    join(aptDir, 'sources.list.d', 'some.sources'),
    [
      stanza(`Suites: bookworm-pgdg\n ${debians.join('\n ')}\n noble-pgdg`),
      stanza('Suites: noble-pgdg bookworm-pgdg'),
    ].join('\n'),
  );
  expect(await texts('noble')).toEqual([['noble', ...pockets].map(line).join('')]);
  expect(await texts('bookworm')).toEqual([stanza(`Suites: ${debians.join(' ')}`)]);
});

it('makes the apt sources of a series of those of another', async () => {
  writeFileSync(
    join(aptDir, 'sources.list'),
    [
      'deb [signed-by=/k.gpg] http://mirror.example/ubuntu noble main universe',
      'deb http://mirror.example/ubuntu noble-backports main',
      'deb http://mirror.example/ubuntu noble-security main',
      'deb https://vendor.example/apt noble-pgdg main',
      '',
    ].join('\n'),
  );
  const stanza = (suites: string) => `Types: deb\nURIs: http://x\nSuites: ${suites}\n`;
  writeFileSync(join(aptDir, 'sources.list.d', 'a.sources'), stanza('noble noble-updates'));
  const derived = await deriveAptSources('jammy', 'noble', ['Release', 'Security'], aptDir);
  expect(derived).toEqual([
    {
      name: '0.list',
      text: 'deb [signed-by=/k.gpg] http://mirror.example/ubuntu jammy main universe\ndeb http://mirror.example/ubuntu jammy-security main\n',
    },
    { name: '1.sources', text: stanza('jammy') },
  ]);
});

describe('a source whose mirrors a file of the machine lists', () => {
  let list: string;
  beforeEach(() => {
    list = join(aptDir, 'mirrors.list');
    for (const [name, text] of [
      ['sources.list', `deb [arch=amd64] mirror+file:${list} bookworm main\n`],
      [
        'sources.list.d/debian.sources',
        `Types: deb\nURIs: mirror+file://${list}\nSuites: bookworm\n`,
      ],
    ] as const)
      writeFileSync(join(aptDir, name), text);
  });
  const sources = () => readAptSources('bookworm', aptDir);

  it('has the first of them that serves all, since a chroot has no such file', async () => {
    writeFileSync(
      list,
      [
        '# http://no.example/debian',
        'http://partial.example/debian\ttype:index',
        'file:/srv/mirror\tpriority:1',
        'https://deb.debian.org/debian\tpriority:2',
        'http://other.example/debian',
      ].join('\n'),
    );
    expect((await sources()).map(({ text }) => text)).toEqual([
      'deb [arch=amd64] https://deb.debian.org/debian bookworm main\n',
      'Types: deb\nURIs: https://deb.debian.org/debian\nSuites: bookworm\n',
    ]);
  });

  it.each([
    ['is not there', undefined],
    ['lists none by http or https', 'file:/srv/mirror\n'],
  ])('stays as it is where the file %s', async (_, text) => {
    if (text !== undefined) writeFileSync(list, text);
    expect(urisOf(await sources())).toEqual([`mirror+file:${list}`, `mirror+file://${list}`]);
  });
});

it('finds the URIs of sources, and no others that are in them', async () => {
  const mirrors = ['http://a.example/debian', 'http://b.example/debian'];
  writeFileSync(
    join(aptDir, 'sources.list.d', 'a.sources'),
    `Types: deb\nX-Home: https://c.example\nURIs: ${mirrors.join('\n ')}\nSuites: bookworm\n`,
  );
  writeFileSync(
    join(aptDir, 'sources.list'),
    'deb [ signed-by=/k.gpg ] http://d.example/debian bookworm main\n',
  );
  expect(urisOf(await readAptSources('bookworm', aptDir))).toEqual([
    'http://d.example/debian',
    ...mirrors,
  ]);
});

it('finds nothing where there is no apt', async () => {
  expect(await readAptSources('bookworm', join(aptDir, 'absent'))).toEqual([]);
});

it('knows what the machine runs', async () => {
  const osRelease = join(aptDir, 'os-release');
  writeFileSync(osRelease, 'ID=ubuntu\nVERSION_CODENAME="noble"\nID_LIKE=debian\n');
  expect(await readMachine(osRelease)).toMatchObject({ distribution: 'ubuntu', series: 'noble' });
});
