import type { TestRunState } from '../../domain/testing/test-run.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { createLandings, landingScript, type Landing } from '../support/landings.ts';
import { resetToEachTask } from '../support/reset-to-each-task.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

const FAIL = { results: [{ name: 'regress', status: 'FAIL' as const }] };
const PASS = { results: [{ name: 'regress', status: 'PASS' as const }] };
let airline: Airline;

beforeAll(async () => {
  airline = await startAirline({
    script: landingScript(),
    tests: {
      sources: {
        'broken-app': { landing: [FAIL], baseline: [PASS] },
        'slow-app': { landing: [{ hang: true }] },
      },
      archive: { 'broken-app': { dependsOn: ['broken'] }, 'slow-app': { dependsOn: ['slow'] } },
    },
    environment: { AIRLINE_LANDING_POLL_MS: '100' },
  });
});

afterAll(() => airline.stop());

const { submit, land, now, inPhase, gate, override } = createLandings(() => airline);
const listOf = async <T>(path: string) => (await airline.rest.get<{ objects: T[] }>(path)).objects;
const runsOf = ({ id }: Landing) =>
  listOf<{ state: TestRunState }>(`/api/v1/testrun/?landing_id=${id}&order_by=id`);
/** All that is known of a landing. */
const allOf = async (landing: Landing) => ({
  landing: await now(landing),
  gate: await gate(landing),
  runs: await runsOf(landing),
  events: await listOf(`${landing.resource_uri}events/`),
});

test('a landing that failed by a regression is not judged anew where its workflow is reset later', async () => {
  const landing = await land(await submit({ name: 'broken' }));
  await inPhase(landing, 'failed', 'complete');
  await override('broken-app', 'regress', 'Its test is wrong.');
  const ended = await allOf(landing);
  expect(ended.landing).toMatchObject({ failure: { class: 'test_regression' } });
  expect(await resetToEachTask(airline, ended.landing.workflow_id)).toBeGreaterThan(5);
  expect(await allOf(landing)).toEqual(ended);
});

test('a landing that was cancelled runs no test where its workflow is reset later', async () => {
  const landing = await land(await submit({ name: 'slow' }));
  await until(
    'its test runs',
    async () => (await runsOf(landing)).some(({ state }) => state === 'running'),
    600_000,
  );
  await airline.rest.post(`${landing.resource_uri}cancel/`, {});
  await inPhase(landing, 'cancelled', 'failed');
  const ended = await allOf(landing);
  expect(ended.runs).toMatchObject([{ state: 'cancelled' }]);
  const tasks = await resetToEachTask(airline, ended.landing.workflow_id, { hasSignals: false });
  expect(tasks).toBeGreaterThan(3);
  expect(await allOf(landing)).toEqual(ended);
});
