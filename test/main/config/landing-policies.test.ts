import { DEFAULT_LANDING_POLICY, freezeAt } from '../../../domain/landings/landing-policy.ts';
import { policyAgainstBuilds, policyOf } from '../../../domain/landings/placed-policy.ts';
import { ConfigError } from '../../../main/config/config.ts';
import {
  assertPoolIsNoTarget,
  parseLandingPolicies,
  readLandingPolicies,
} from '../../../main/config/landing-policies.ts';

const PATH = '/etc/airline/landing.yaml';
const FILE = `# Ours.
policies:
  - name: proposed
    targets:
      - archive: ubuntu
        pocket: Proposed
    four_eyes: true
    approvers: [ann, bea]
    tests: changed
    max_test_runs: 50
    freezes:
      # Final freeze.
      - from: 2026-04-16T00:00:00+02:00
        until: 2026-04-23T12:00:00Z
        why: the release of 26.04
        exempt: [rel]
  - name: rest
    targets: [{ archive: '~team/*', series: noble }, { archive: '*', series: sid }]
    approval: never
`;

const problemsOf = (text: string): string[] => {
  try {
    parseLandingPolicies(text, PATH);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n').slice(1);
  }
  return [];
};
const policy = (...lines: string[]) =>
  ['policies:', '  - name: a', '    targets: [{}]', ...lines.map((line) => `    ${line}`)].join(
    '\n',
  );
const at = (archive: string, series: string, pocket = 'Release') => ({ archive, series, pocket });

it('takes what a policy says, and the default for what it leaves out', () => {
  const [proposed, rest] = parseLandingPolicies(FILE, PATH);
  expect(proposed?.policy).toEqual({
    ...DEFAULT_LANDING_POLICY,
    name: 'proposed',
    text: expect.stringMatching(/^name: proposed\n {4}targets:[^]*# Final freeze\.[^]*\[rel\]$/),
    fourEyes: true,
    approvers: ['ann', 'bea'],
    tests: 'changed',
    maxTestRuns: 50,
    freezes: [
      {
        from: '2026-04-15T22:00:00.000Z',
        until: '2026-04-23T12:00:00.000Z',
        why: 'the release of 26.04',
        exempt: ['rel'],
      },
    ],
  });
  expect(rest?.policy).toMatchObject({ approval: 'never', tests: 'reverse_dependencies' });
});

it('gives a target the first policy that fits it, else the default', () => {
  const policies = parseLandingPolicies(FILE, PATH);
  const nameAt = (...place: Parameters<typeof at>) => policyOf(policies, at(...place)).name;
  expect(nameAt('ubuntu', 'noble', 'Proposed')).toBe('proposed');
  expect(nameAt('ubuntu', 'noble', 'Updates')).toBe('default');
  expect(nameAt('ubuntu', 'sid', 'Updates')).toBe('rest');
  expect(nameAt('~team/ubuntu/landed', 'noble')).toBe('rest');
  expect(nameAt('~team/ubuntu/landed', 'jammy')).toBe('default');
  expect(nameAt('~other/~team/x', 'noble')).toBe('default');
  expect(readLandingPolicies(undefined)).toEqual([]);
});

it('lets nobody build in what a policy names, unless it says so or names it by * alone', () => {
  const policies = parseLandingPolicies(
    `policies:
  - { name: silos, targets: [{ archive: '~team/ubuntu/silo-*' }], takes_builds: true }
  - { name: team, targets: [{ archive: '~team/*', series: noble }] }
  - { name: release, targets: [{}, { archive: '~release/ubuntu/out' }] }
`,
    PATH,
  );
  const against = (archive: string, series = 'noble') =>
    policyAgainstBuilds(policies, at(archive, series))?.name;
  expect(against('~team/ubuntu/silo-1')).toBeUndefined();
  expect(against('~team/ubuntu/landed')).toBe('team');
  expect(against('~team/ubuntu/landed', 'jammy')).toBeUndefined();
  expect(against('~release/ubuntu/out')).toBe('release');
  expect(against('~ann/ubuntu/own')).toBeUndefined();
  expect(policyAgainstBuilds([], at('~team/ubuntu/landed', 'noble'))).toBeUndefined();
});

it('takes no PPA for the pool that a policy names as a target', () => {
  const policies = parseLandingPolicies(
    `policies:
  - { name: silos, targets: [{ archive: '~team/ubuntu/silo-1' }], takes_builds: true }
  - { name: stable, targets: [{ archive: '~team/ubuntu/stable' }, { archive: '~team/*' }] }
`,
    PATH,
  );
  const ppa = (name: string) => ({ owner: 'team', distribution: 'ubuntu', name });
  expect(() => assertPoolIsNoTarget(policies, ['silo-1', 'silo-2'].map(ppa))).not.toThrow();
  expect(() => assertPoolIsNoTarget(policies, ['silo-1', 'stable'].map(ppa))).toThrow(
    new ConfigError(
      'AIRLINE_PPA_POOL: ~team/ubuntu/stable is a target of the policy stable: the pool takes no PPA that is landed in.',
    ),
  );
});

it('knows which freeze is on', () => {
  const [first] = parseLandingPolicies(FILE, PATH);
  const on = (time: string) => freezeAt(first?.policy.freezes ?? [], Date.parse(time))?.why;
  expect(on('2026-04-15T21:59:59Z')).toBeUndefined();
  expect(on('2026-04-15T22:00:00Z')).toBe('the release of 26.04');
  expect(on('2026-04-23T12:00:00Z')).toBeUndefined();
});

describe('a file that is wrong', () => {
  it.each([
    [policy('approval: sometimes'), /:4: policies\[0\]\.approval: Enter one of always, /],
    [policy('aproval: never'), /:4: policies\[0\]: There is no aproval here\.$/],
    [
      policy('stale_tries: 11'),
      /:4: policies\[0\]\.stale_tries: Enter a whole number from 0 to 10/,
    ],
    [policy('takes_builds: 1'), /:4: policies\[0\]\.takes_builds: Enter true or false\.$/],
    [policy('landers: ann'), /:4: policies\[0\]\.landers: Enter a list of names\.$/],
    [policy('test_architectures: []'), /:4: policies\[0\]\.test_architectures: Enter the arch/],
    [policy('freezes: [{ from: x }]'), /:4: policies\[0\]\.freezes\[0\]\.from: Enter a time with/],
    [
      policy(
        'freezes:',
        '- from: 2026-01-02T00:00:00Z',
        '  until: 2026-01-01T00:00:00Z',
        '  why: x',
      ),
      /:6: policies\[0\]\.freezes\[0\]\.until: Enter a time after that of from\.$/,
    ],
    [policy('name: b'), /:4: Map keys must be unique$/],
    [`${policy()}\n  - name: a\n    targets: [{}]`, /:4: policies\[1\]\.name: Enter another name/],
    ['policies:\n  - name: a', /:2: policies\[0\]\.targets: Enter the targets/],
    [
      'policies:\n  - name: a\n    targets: [{ archive: "ppa:a/b" }]',
      /:3: .*archive: Enter a name/,
    ],
    ['policies: [', /:1: .*/],
    ['- name: a', /:1: the file: Enter keys with values\.$/],
    ['', /:1: the file: Enter keys with values\.$/],
    ['x'.repeat(100_001), /it has more than 100000 bytes\.$/],
  ])('is refused, with the line and what to enter: %#', (text, problem) => {
    const problems = problemsOf(text);
    expect(problems[0]).toMatch(problem);
    for (const line of problems) expect(line.startsWith(PATH)).toBe(true);
  });

  it('and one that is not there are told by the name of the variable', () => {
    expect(() => readLandingPolicies('/no/such.yaml')).toThrow(/AIRLINE_LANDING_POLICY: ENOENT/);
  });
});
