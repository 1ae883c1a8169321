import { startAirline, type Airline } from '../support/airline.ts';
import { createLandings, landingScript } from '../support/landings.ts';
import { resetToEachTask, resetToFirstTask } from '../support/reset-to-each-task.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

/** PPAs that are disabled for a while. */
const CLOSED = ['~airline/debian/closed', '~airline/debian/closed-target'] as const;
let airline: Airline;

beforeAll(async () => {
  airline = await startAirline({
    script: landingScript(),
    environment: { AIRLINE_LANDING_POLL_MS: '100' },
  });
});

afterAll(() => airline.stop());

const { submit, land, now, inPhase, decide } = createLandings(() => airline);
const eventsOf = async (uri: string) =>
  (await airline.rest.get<{ objects: object[] }>(`${uri}events/`)).objects;

/** What a PPA has, whatever became of it. */
async function sourcesIn(ppa: string): Promise<string[]> {
  const [owner, distribution, name] = ppa.split('/');
  const url = `${airline.stack.addresses.launchpadUrl}/devel/${owner}/+archive/${distribution}/${name}`;
  const { entries } = (await (await fetch(`${url}?ws.op=getPublishedSources`)).json()) as {
    entries: { source_package_name: string }[];
  };
  return entries.map(({ source_package_name: source }) => source);
}

test('a build that failed uploads nothing, and says nothing, where its workflow is reset later', async () => {
  airline.play({ ...landingScript(), disabledPpas: [...CLOSED] });
  const build = await airline.requestBuild(await airline.submit({ name: 'refused' }), {
    ppa: 'ppa:airline/closed',
  });
  await airline.messages(build);
  const ended = await airline.build(build.id);
  expect(ended).toMatchObject({ failure: { code: 'upload_not_allowed' } });
  const events = await eventsOf(build.resource_uri);
  airline.play(landingScript());

  expect(await resetToEachTask(airline, ended.workflow_id)).toBeGreaterThan(2);
  expect(await sourcesIn(CLOSED[0])).toEqual([]);
  expect(await airline.build(build.id)).toEqual(ended);
  expect(await eventsOf(build.resource_uri)).toEqual(events);
});

test('a build that the PPA has built ends at once where its workflow is reset later', async () => {
  const build = await airline.requestBuild(await airline.submit({ name: 'built' }));
  await airline.messages(build);
  const ended = await airline.build(build.id);
  const events = await eventsOf(build.resource_uri);
  expect(await resetToEachTask(airline, ended.workflow_id)).toBeGreaterThan(3);
  expect(await airline.build(build.id)).toEqual(ended);
  expect(await eventsOf(build.resource_uri)).toEqual(events);
});

test('the logs of an attempt stay where its workflow is reset after a retry', async () => {
  const attempts = [
    [{ state: 'Failed to build', log: 'the first try\n' }],
    [{ state: 'Successfully built', log: 'the second try\n' }],
  ];
  airline.play({ sources: { flaky: { builds: { '*': { attempts } } } } });
  const build = await airline.requestBuild(await airline.submit({ name: 'flaky' }));
  const textOfLog = async () => {
    const [url = ''] = (await airline.messages(build)).at(-1)?.logs ?? [];
    return { url, text: await (await fetch(url)).text() };
  };
  const { workflow_id: workflowId } = await airline.build(build.id);
  const first = await textOfLog();
  expect(first.text).toContain('the first try');
  await airline.rest.post(`${build.resource_uri}retry/`, { only: 'failed' });
  // The PPA has it now at the address of the first one's.
  expect((await textOfLog()).text).toContain('the second try');

  expect(await resetToEachTask(airline, workflowId)).toBeGreaterThan(3);
  expect(await (await fetch(first.url)).text()).toBe(first.text);
});

test('a build that waits for the PPA to show its upload sends nothing more where its workflow is reset', async () => {
  airline.play({ sources: { slow: { acceptAfterMs: 10_000 } } });
  const build = await airline.requestBuild(await airline.submit({ name: 'slow' }));
  const now = () => airline.build(build.id);
  const { workflow_id: workflowId } = await until('it is uploaded', async () => {
    const shown = await now();
    return shown.phase === 'accepting' && shown;
  });

  await resetToFirstTask(airline, workflowId);

  expect((await airline.messages(build)).at(-1)).toMatchObject({ phase: 'completed' });
  const { events } = await airline.temporal.workflow.getHandle(workflowId).fetchHistory();
  const results = (events ?? []).flatMap(
    ({ activityTaskCompletedEventAttributes: task }) => task?.result?.payloads ?? [],
  );
  expect(results.map(({ data }) => JSON.parse(Buffer.from(data ?? '').toString()))).toContainEqual({
    alreadyThere: false,
    sentBytes: 0,
    isUnclear: false,
  });
});

test('a build whose cancellation hangs is stopped in the PPA where its workflow is reset', async () => {
  const held = [{ state: 'Currently building', durationMs: 600_000 }];
  const sources = { held: { builds: { '*': held } } };
  airline.play({ sources });
  const build = await airline.requestBuild(await airline.submit({ name: 'held' }));
  type Shown = { phase: string; trouble: object | null; builds: { buildstate: string }[] };
  const shown = () => airline.rest.get<Shown>(build.resource_uri);
  await until('the PPA builds it', async () => (await shown()).phase === 'building');
  airline.play({ sources, web: [{ match: '+build', status: 503 }] });
  await airline.rest.post(`${build.resource_uri}cancel/`, {});
  await until('the PPA does not answer', async () => (await shown()).trouble !== null);
  const { workflow_id: workflowId } = await airline.build(build.id);

  await resetToFirstTask(airline, workflowId);
  airline.play({ sources });

  expect((await airline.messages(build)).at(-1)).toMatchObject({
    phase: 'cancelled',
    failure: { message: expect.stringContaining('the PPA builds nothing of it any more') },
    builds: [{ buildstate: 'Cancelled build' }],
  });
});

test('a landing that failed publishes nothing where its workflow is reset later', async () => {
  airline.play({ ...landingScript(), disabledPpas: [...CLOSED] });
  const landing = await land(await submit({ name: 'uncopied' }), {
    target: 'ppa:airline/closed-target',
  });
  await decide(landing, 'approve');
  await inPhase(landing, 'failed', 'complete');
  const ended = await now(landing);
  expect(ended).toMatchObject({
    failure: { class: 'copy_refused', message: expect.stringContaining('nothing is published') },
  });
  const events = await eventsOf(landing.resource_uri);
  airline.play(landingScript());

  expect(await resetToEachTask(airline, ended.workflow_id)).toBeGreaterThan(2);
  expect(await sourcesIn(CLOSED[1])).toEqual([]);
  expect(await now(landing)).toEqual(ended);
  expect(await eventsOf(landing.resource_uri)).toEqual(events);
});
