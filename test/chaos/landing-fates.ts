import type { z } from 'zod';
import type { SCRIPT as TEST_SCRIPT } from '../../activities/testing/test-script.ts';
import type { SCRIPT } from '../../stand-in/script/script.ts';

/** What is to become of a landing: the scripts of the stand-in and of the testers go by the names of its packages. */
export type LandingFate =
  | 'passes'
  | 'shared'
  | 'flaky'
  | 'approved'
  | 'rejected'
  | 'regression'
  | 'overridden'
  | 'broken'
  | 'partly'
  | 'cancelled';

/** How often each fate is drawn. */
export const LANDING_FATE_WEIGHTS: Readonly<Record<LandingFate, number>> = {
  passes: 25,
  shared: 10,
  flaky: 8,
  approved: 12,
  rejected: 5,
  regression: 8,
  overridden: 8,
  broken: 6,
  partly: 6,
  cancelled: 12,
};

/** Where they are published. */
export const TARGET = 'debian';
const SHARED = 'land-shared';

/** A source package of a landing. */
export type PlannedPackage = { name: string; version: string; buildDepends: string[] };

/** What is said of a landing here: which it is, what becomes of it, and how many packages it has. */
type Fated = { number: number; fate: LandingFate; packages: number };

/** The packages of a landing: the second one needs the first one to build, the third one needs none. */
export function packagesOf({ number, fate, packages }: Fated): PlannedPackage[] {
  if (fate === 'shared') return [{ name: SHARED, version: `1.${number}`, buildDepends: [] }];
  const nameOf = (part: string) => `land-${number}-${part}`;
  return ['lib', 'tool', 'docs'].slice(0, packages).map((part) => ({
    name: nameOf(part),
    version: '1.0',
    buildDepends: part === 'tool' ? [nameOf('lib')] : [],
  }));
}

/** The pocket in which a person has to approve everything, or that in which the tests decide. */
export function pocketOf(fate: LandingFate): 'Updates' | 'Proposed' {
  return fate === 'approved' || fate === 'rejected' ? 'Updates' : 'Proposed';
}

/** The policies that go with the pockets. */
export const POLICIES = `policies:
  - name: approved
    targets: [{ archive: ${TARGET}, pocket: Updates }]
    approval: always
  - name: tested
    targets: [{ archive: '*' }]
    approval: when_needed
`;

const building = { state: 'Currently building', durationMs: 1_000 };

/** What the PPA does with the packages of landings; those that are not named build. */
export function scriptOfLandings(
  landings: readonly Fated[],
): Required<Pick<z.input<typeof SCRIPT>, 'sources' | 'copies'>> {
  const lastOf = (fate: LandingFate) =>
    landings
      .filter((landing) => landing.fate === fate)
      .map((landing) => packagesOf(landing).at(-1)?.name ?? '');
  const failing = { builds: { '*': [building, { state: 'Failed to build' }] } };
  return {
    sources: {
      '*': { builds: { '*': [building, { state: 'Successfully built', binaries: true }] } },
      ...Object.fromEntries(lastOf('broken').map((name) => [name, failing])),
    },
    // Launchpad tells nobody of a copy that fails.
    copies: Object.fromEntries(lastOf('partly').map((name) => [name, { fails: 'Not today.' }])),
  };
}

const result = (status: 'PASS' | 'FAIL') => ({ results: [{ name: 'smoke', status }] });
const PASSES = { ...result('PASS'), durationMs: 2_000 };
const FAILS = { ...result('FAIL'), durationMs: 500 };

/** Of each landing one test is run: that of a package which depends on its first one. */
export function testsOfLandings(landings: readonly Fated[]): z.input<typeof TEST_SCRIPT> {
  const tested = landings.map((landing) => ({
    fate: landing.fate,
    name: packagesOf(landing)[0]?.name ?? '',
  }));
  return {
    images: { base: { durationMs: 500 }, landing: { durationMs: 1_000 } },
    archive: Object.fromEntries(tested.map(({ name }) => [`${name}-app`, { dependsOn: [name] }])),
    sources: Object.fromEntries(
      tested.map(({ fate, name }) => [
        `${name}-app`,
        { landing: runsOf(fate), baseline: [PASSES] },
      ]),
    ),
  };
}

function runsOf(fate: LandingFate) {
  switch (fate) {
    case 'flaky':
      return [FAILS, PASSES];
    case 'regression':
    case 'overridden':
      return [FAILS];
    // It ends in no other way.
    case 'cancelled':
      return [{ hang: true }];
    default:
      return [PASSES];
  }
}
