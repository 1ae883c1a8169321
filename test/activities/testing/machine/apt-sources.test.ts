import {
  ppaSource,
  readMirrors,
  readSources,
} from '../../../../activities/testing/machine/apt-sources.ts';
import { readRelease } from '../../../../sandbox/machine.ts';

const REPOSITORY = 'http://ppa.example/team/landed/ubuntu';
const KEY = [
  '-----BEGIN PGP PUBLIC KEY BLOCK-----',
  'Comment: of the PPA',
  '',
  'mDMEZfake',
  '=abcd',
  '-----END PGP PUBLIC KEY BLOCK-----',
];
const SOURCE = `Types: deb
URIs: http://ppa.example/team/landed/ubuntu
Suites: noble
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 Comment: of the PPA
 .
 mDMEZfake
 =abcd
 -----END PGP PUBLIC KEY BLOCK-----
`;
const PLACE = { distribution: 'ubuntu', series: 'noble', target: '~team/ubuntu/landed' };
const machine = { mirror: undefined, repositoryOf: () => '' };
const options = (mirror = 'http://mirror.example/ubuntu') => ({
  mirror,
  repositoryOf: ({
    owner,
    distribution,
    name,
  }: Record<'owner' | 'distribution' | 'name', string>) =>
    `http://ppa.example/${owner}/${name}/${distribution}`,
  fetchKey: async () => KEY.join('\n'),
});

describe('the apt source of a PPA', () => {
  it('has the key in it, with a dot for its empty line', () => {
    expect(ppaSource({ repository: REPOSITORY, series: 'noble', key: KEY.join('\n') })).toBe(
      SOURCE,
    );
  });

  it('has nothing of what a keyserver says around the key', () => {
    const key = ['Here it is:', ...KEY, 'Types: deb', ''].join('\r\n');
    expect(ppaSource({ repository: REPOSITORY, series: 'noble', key })).toBe(SOURCE);
  });
});

describe('where the packages of a place come from', () => {
  it('is the mirror alone where the place has no target', async () => {
    const { sources, addresses } = await readSources({ ...PLACE, target: null }, options());
    expect(sources.map(({ name }) => name)).toEqual(['0.list']);
    expect(addresses).toEqual(['http://mirror.example/ubuntu']);
  });

  it.each([
    [
      'ubuntu',
      'noble',
      'deb http://mirror.example/ubuntu noble main restricted universe multiverse\n' +
        'deb http://mirror.example/ubuntu noble-updates main restricted universe multiverse\n' +
        'deb http://mirror.example/ubuntu noble-security main restricted universe multiverse\n',
    ],
    [
      'debian',
      'bookworm',
      'deb http://mirror.example/ubuntu bookworm main contrib non-free non-free-firmware\n' +
        'deb http://mirror.example/ubuntu bookworm-updates main contrib non-free non-free-firmware\n',
    ],
    [
      'debian',
      'sid',
      'deb http://mirror.example/ubuntu sid main contrib non-free non-free-firmware\n',
    ],
    [
      'derived',
      'first',
      'deb http://mirror.example/ubuntu first main\n' +
        'deb http://mirror.example/ubuntu first-updates main\n' +
        'deb http://mirror.example/ubuntu first-security main\n',
    ],
  ])(
    'has all components of %s, and of %s the pockets that a mirror has',
    async (distribution, series, text) => {
      const place = { distribution, series, target: null };
      expect((await readSources(place, options())).sources).toEqual([{ name: '0.list', text }]);
    },
  );

  it("is the machine's own mirror, for each series of its distribution", async () => {
    const { distribution, series: own } = readRelease();
    const suitesOf = async (series: string) => {
      const { sources } = await readMirrors({ distribution, series, target: null }, machine);
      return sources.map(({ text }) => text);
    };
    const texts = await suitesOf('zeta');
    expect(texts.join('')).toMatch(/\bzeta\b/);
    expect(texts.join('')).not.toMatch(new RegExp(`(Suites:|/) *${own}`));
    expect((await suitesOf('sid')).join('')).not.toContain('sid-');
  });

  it('is none of the machine for a series of another distribution', async () => {
    const place = { distribution: 'derived', series: 'zeta', target: null };
    await expect(readMirrors(place, machine)).rejects.toThrow('no apt source for zeta');
  });

  it('is nothing that is reached neither by http nor by https: no image can be made of it', async () => {
    const mirrors = readMirrors({ ...PLACE, target: null }, options('mirror+file:/etc/mirrors'));
    await expect(mirrors).rejects.toThrow(
      /mirror\+file:\/etc\/mirrors, which is neither http nor https: set AIRLINE_TEST_MIRROR/,
    );
  });

  it('is the target, too, whose address may be fetched from', async () => {
    const { sources, addresses } = await readSources(PLACE, options());
    expect(sources.slice(1)).toEqual([{ name: 'target.sources', text: SOURCE }]);
    expect(addresses).toEqual(['http://mirror.example/ubuntu', REPOSITORY]);
    expect((await readMirrors(PLACE, options())).addresses).toEqual(addresses);
  });

  it('is named once where the machine knows the target already: apt takes no second key', async () => {
    const { sources } = await readSources(PLACE, options(REPOSITORY.replace('http:', 'https:')));
    expect(sources.map(({ name }) => name)).toEqual(['0.list']);
  });
});
