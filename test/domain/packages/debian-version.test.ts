import { spawnSync } from 'node:child_process';
import { compareVersions, upstreamVersion } from '../../../domain/packages/debian-version.ts';

const sign = (number: number) => Math.sign(number);

// Each is newer than the one before it.
const ASCENDING = [
  '0~~',
  '0~~a',
  '0~',
  '0',
  '0.0~rc1-1',
  '0.0-1~bpo12+1',
  '0.0-1',
  '0.0-1ubuntu1',
  '0.0-1+b1',
  '0.1',
  '0.1.0',
  '0.9',
  '0.10',
  '0.10-1',
  '0.10-1.1',
  '0.10a',
  '0.10+dfsg-1',
  '1.0',
  '1.99999999999999999998',
  '1.99999999999999999999',
  '5.02-1',
  '5.02-2',
  '1:0.1',
  '1:0.1-0.1',
  '2:0',
];

describe('the order of Debian versions', () => {
  it('is the order of Debian Policy', () => {
    for (const [at, version] of ASCENDING.entries())
      for (const [otherAt, other] of ASCENDING.entries())
        expect([version, other, sign(compareVersions(version, other))]).toEqual([
          version,
          other,
          sign(at - otherAt),
        ]);
  });

  it('takes versions for equal that are written differently', () => {
    expect(compareVersions('0:1.0', '1.0')).toBe(0);
    expect(compareVersions('1.0-0', '1.0')).toBe(0);
    expect(compareVersions('1.01', '1.1')).toBe(0);
  });

  it("agrees with dpkg's on versions made at random", () => {
    const pieces = ['0', '1', '10', '007', '.', '+', '~', 'a', 'Z', 'rc', '-', '2', '~~', 'b1'];
    let seed = 20_201;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const version = () =>
      `${random(4) === 0 ? `${random(3)}:` : ''}1${Array.from({ length: random(5) }, () => pieces[random(pieces.length)]).join('')}0`;
    const pairs = Array.from({ length: 300 }, () => [version(), version()] as const);

    // One shell for all: starting dpkg is what takes the time.
    const script = pairs
      .map(
        ([a, b]) =>
          `if dpkg --compare-versions '${a}' lt '${b}'; then echo -1; elif dpkg --compare-versions '${a}' gt '${b}'; then echo 1; else echo 0; fi`,
      )
      .join('\n');
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });

    const dpkg = stdout.trim().split('\n').map(Number);
    expect(pairs.map(([a, b]) => [a, b, sign(compareVersions(a, b))])).toEqual(
      pairs.map(([a, b], at) => [a, b, dpkg[at]]),
    );
  });
});

it.each([
  ['1.0-1', '1.0'],
  ['2:1.0-rc1-3', '1.0-rc1'],
  ['1.0', '1.0'],
])('the upstream version of %s is %s', (version, upstream) => {
  expect(upstreamVersion(version)).toBe(upstream);
});
