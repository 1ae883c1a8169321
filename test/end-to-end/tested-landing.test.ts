import type { TestRunState } from '../../domain/testing/test-run.ts';
import { startAirline, type Airline, type TestScript } from '../support/airline.ts';
import { createLandings, landingScript, type Landing } from '../support/landings.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

const FAIL = { results: [{ name: 'regress', status: 'FAIL' as const }] };
const PASS = { results: [{ name: 'regress', status: 'PASS' as const }] };
const FAIL_AND_PASS = {
  results: [...FAIL.results, { name: 'smoke', status: 'PASS' as const }],
};
const BED_FAILS = { exitCode: 16, summary: 'testbed failure: gone\n' };

/** Each library has one reverse dependency, whose tests are run for it: `<library>-app`. */
const SOURCES: NonNullable<TestScript['sources']> = {
  'good-app': { landing: [PASS] },
  'broken-app': { landing: [FAIL], baseline: [PASS] },
  'hopeless-app': { landing: [FAIL_AND_PASS], baseline: [FAIL_AND_PASS] },
  'flaky-app': { landing: [FAIL, PASS], baseline: [PASS] },
  'shaky-app': { landing: [BED_FAILS, PASS] },
  'slow-app': { landing: [{ hang: true }] },
};
const TESTS: TestScript = {
  sources: SOURCES,
  archive: Object.fromEntries(
    Object.keys(SOURCES).map((name) => [name, { dependsOn: [name.replace('-app', '')] }]),
  ),
};

let airline: Airline;
const requested = new Map<string, Landing>();

beforeAll(async () => {
  airline = await startAirline({
    script: landingScript(),
    tests: TESTS,
    environment: { AIRLINE_LANDING_POLL_MS: '100' },
  });
  // Side by side: each waits most of its time.
  for (const name of ['good', 'broken', 'hopeless', 'flaky', 'shaky', 'lonely'])
    requested.set(name, await land(await submit({ name })));
});

afterAll(() => airline.stop());

const { submit, land, now, inPhase, decide, gate, override } = createLandings(() => airline);
const landingOf = (name: string) => requested.get(name) as Landing;
const ends = (landing: Landing) => inPhase(landing, 'complete', 'failed', 'approving');
const listOf = async <T>(path: string) =>
  (await airline.rest.get<{ objects: T[] }>(`/api/v1/${path}&order_by=id`)).objects;
type Run = {
  source: string;
  state: TestRunState;
  attempt: number;
  try: number;
  image_id: number;
};
const runsOf = ({ id }: Landing) => listOf<Run>(`testrun/?landing_id=${id}`);

/** The names of what the target has published. */
async function published(): Promise<string[]> {
  const url = `${airline.stack.addresses.launchpadUrl}/devel/~airline/+archive/debian/landed`;
  const answer = await fetch(`${url}?ws.op=getPublishedSources&status=Published`);
  const { entries } = (await answer.json()) as { entries: { source_package_name: string }[] };
  return entries.map(({ source_package_name: name }) => name);
}

describe('a landing that is tested', () => {
  test('is published without a person where all tests pass', async () => {
    const landing = landingOf('good');
    expect(await ends(landing)).toMatchObject({
      phase: 'complete',
      decision: null,
      tests: { planned: 1, finished: 1, verdict: 'passes', verdicts: { pass: 1 } },
    });
    expect(await published()).toContain('good');
    expect(await gate(landing)).toMatchObject({
      landing_id: landing.id,
      verdict: 'passes',
      tests: { pass: 1 },
      excuses: [],
    });
  });

  test('fails by a regression, and lands with what is made once somebody has overridden it', async () => {
    const landing = landingOf('broken');
    const failed = await ends(landing);
    expect(failed).toMatchObject({
      phase: 'failed',
      failure: {
        class: 'test_regression',
        message: '1 test fails only with these packages: broken-app regress (amd64)',
      },
      tests: { verdict: 'blocked', verdicts: { regression: 1 } },
    });
    expect(await published()).not.toContain('broken');
    expect(await gate(landing)).toMatchObject({
      verdict: 'blocked',
      excuses: [{ source: 'broken-app', test: 'regress', verdict: 'regression' }],
    });
    const builds = `build/?ticket=${landing.ticket_id}`;
    const [built, [first]] = [await listOf(builds), await runsOf(landing)];
    await override('broken-app', 'regress', 'Its test is wrong.');
    await airline.rest.post(`${landing.resource_uri}retry/`, {});
    expect(await inPhase(landing, 'complete', 'approving')).toMatchObject({
      phase: 'complete',
      attempt: 2,
      tests: { verdict: 'passes', verdicts: { overridden: 1 } },
    });
    // What is built stays, with its image; the tests alone are made anew.
    expect(await listOf(builds)).toEqual(built);
    const again = (await runsOf(landing)).filter(({ attempt }) => attempt === 2);
    expect(new Set(again.map(({ image_id: image }) => image))).toEqual(new Set([first?.image_id]));
    expect(await published()).toContain('broken');
    expect(await gate(landing)).toMatchObject({
      verdict: 'passes',
      tests: { overridden: 1 },
    });
  });

  test.each([
    ['hopeless', 'is not stopped by a test that fails without it, too', 'always_failed'],
    ['flaky', 'is not stopped by a test that passes when it is run once more', 'flaky'],
    ['shaky', 'is not stopped where the test bed fails once', 'pass'],
  ])('%s: %s', async (name, _, verdict) => {
    const landing = landingOf(name);
    expect(await ends(landing)).toMatchObject({
      phase: 'complete',
      decision: null,
      tests: { verdict: 'passes', verdicts: { [verdict]: 1 } },
    });
    expect(await gate(landing)).toMatchObject({
      verdict: 'passes',
      tests: { [verdict]: 1 },
      excuses: verdict === 'pass' ? [] : [{ source: `${name}-app`, verdict }],
    });
    expect(await runsOf(landing)).toMatchObject([
      { state: name === 'shaky' ? 'bed_failed' : 'finished', try: 1 },
      { state: 'finished', try: 2 },
    ]);
    expect(await published()).toContain(name);
  });

  test('waits for a person where there is no test', async () => {
    const landing = landingOf('lonely');
    expect(await ends(landing)).toMatchObject({
      phase: 'approving',
      tests: { planned: 0, verdict: 'needs_approval' },
    });
    expect(await gate(landing)).toMatchObject({ verdict: 'needs_approval', excuses: [] });
    await decide(landing, 'reject');
    await inPhase(landing, 'failed');
    expect(await gate(landing)).toMatchObject({ verdict: 'blocked' });
    expect(await published()).not.toContain('lonely');
  });

  test('stops its test and publishes nothing when it is cancelled', async () => {
    const landing = await land(await submit({ name: 'slow' }));
    await until(
      'its test runs',
      async () => (await runsOf(landing)).some(({ state }) => state === 'running'),
      600_000,
    );
    expect(await now(landing)).toMatchObject({ phase: 'testing' });
    expect(await gate(landing)).toMatchObject({ verdict: 'waits' });
    await airline.rest.post(`${landing.resource_uri}cancel/`, {});
    await inPhase(landing, 'cancelled', 'failed');
    expect(await runsOf(landing)).toMatchObject([{ source: 'slow-app', state: 'cancelled' }]);
    expect(await now(landing)).toMatchObject({
      phase: 'cancelled',
      failure: { class: 'cancelled' },
    });
    expect(await gate(landing)).toMatchObject({ verdict: 'blocked' });
    expect(await published()).not.toContain('slow');
  });
});
