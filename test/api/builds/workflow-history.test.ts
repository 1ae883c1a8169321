import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import {
  createTemporalWorkflows,
  type TemporalWorkflows,
} from '../../../dispatch/temporal-workflows.ts';
import { AirlineError } from '../../../domain/errors.ts';
import type { BuildLimits } from '../../../domain/builds/build-request.ts';
import { parsePpa } from '../../../domain/packages/ppa.ts';
import { parseHistory } from '../../../admin/replay/history.ts';
import { replayHistories } from '../../../admin/replay/replay-histories.ts';
import type { Build } from '../../../models/builds/build.ts';
import { temporalAddress, workflowBundle } from '../../support/addresses.ts';
import { BUILD_LIMITS, CLEANING_LIMITS, LANDING_LIMITS } from '../../support/build-limits.ts';
import { addBuild } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { scriptedActivities, type PpaScript } from '../../workflows/scripted-activities.ts';
import { createGate, type Gate } from '../gate.ts';
import { serveApi, type TestApi } from '../serve.ts';

const CANCEL_URL = 'http://lander:wLJ7@127.0.0.1:1/jobs/7?token=s3cr3t&job=7';
const BUILDING = { builds: ['Currently building'] };
const BUILT = { builds: ['Successfully built'] };

jest.setTimeout(600_000);

let api: TestApi;
let gate: Gate;
let workflows: TemporalWorkflows;
let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
let readHistory: TemporalWorkflows['readHistory'];

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
  gate = await createGate(temporalAddress());
  workflows = createTemporalWorkflows({
    address: gate.address,
    namespace: 'default',
    limits: BUILD_LIMITS,
    landingLimits: LANDING_LIMITS,
    cleaningLimits: CLEANING_LIMITS,
    rpcTimeoutMs: 60_000,
    uploadCheckMs: 20_000,
  });
  api = await serveApi({ readHistory: (...of) => readHistory(...of) });
});
beforeEach(async () => {
  readHistory = workflows.readHistory;
  await gate.open();
});
afterAll(async () => {
  await api.close();
  await workflows.close();
  await gate.close();
  await nativeConnection.close();
  await connection.close();
});

/** A build whose workflow id no other test has. */
const newBuild = () =>
  addBuild(api.database, {
    sourcePackages: [`http://127.0.0.1/hello-${randomUUID()}_1.0-1_source.changes`],
    cancelUrl: CANCEL_URL,
  });

/** Starts the workflow of a build, which nobody runs yet. */
async function start(build: Build, limits: Partial<BuildLimits> = {}) {
  const taskQueue = `history-${randomUUID()}`;
  const ppa = parsePpa(build.ppa, build.archive);
  const handle = await client.workflow.start('BuildSourceWorkflow', {
    taskQueue,
    workflowId: build.workflowId,
    args: [{ request: build.toRequest(), ppa, limits: { ...BUILD_LIMITS, ...limits } }],
    workflowExecutionTimeout: '20 minutes',
  });
  return { handle, taskQueue };
}

/** Runs the workflow of a build to its end. */
async function run(
  build: Build,
  script: PpaScript,
  limits?: Partial<BuildLimits>,
): Promise<unknown> {
  const { handle, taskQueue } = await start(build, limits);
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: workflowBundle() },
    activities: scriptedActivities(script).activities,
  });
  return worker.runUntil(handle.result());
}

/** Resets the latest run of a build's workflow, as an operator does. @returns the id of the new run */
async function resetToFirstTask({ workflowId }: Build): Promise<string> {
  const latest = client.workflow.getHandle(workflowId);
  const { runId } = await latest.describe();
  const { events } = await latest.fetchHistory();
  const begun = (events ?? []).find((event) => event.workflowTaskStartedEventAttributes);
  const reset = await connection.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: begun?.eventId ?? null,
    reason: 'by an operator',
    requestId: randomUUID(),
  });
  return reset.runId;
}

const path = (build: { id: number }, query = '') =>
  `/api/v1/build/${build.id}/workflow-history/${query}`;

const link = (headers: Headers, relation: string) =>
  new RegExp(`<([^>]*)>; rel="${relation}"`).exec(headers.get('link') ?? '')?.[1];

async function replay(text: string) {
  const found = [{ name: 'from the API', history: parseHistory(text) }];
  const outcomes = [];
  for await (const one of replayHistories({ codePath: workflowBundle() }, found))
    outcomes.push(one.outcome === 'diverges' ? one.divergence : one.outcome);
  return outcomes;
}

describe("the history of a build's workflow", () => {
  it('is given whole where a few of its events have more than 4 MiB', async () => {
    const build = await newBuild();
    const { handle } = await start(build);
    const note = 'x'.repeat(1_450_000);
    for (let count = 0; count < 3; count++) await handle.signal('note', note);
    const answer = await api.call('GET', path(build));
    expect(answer.status).toBe(200);
    expect(answer.text.length).toBeGreaterThan(3 * note.length);
    await handle.terminate('the test is over');
  });

  it('says that it is too large, where a page cannot be received', async () => {
    const build = await newBuild();
    readHistory = async () => {
      throw new AirlineError('history_too_large', 'A page of it is too large.');
    };
    expect(await api.call('GET', path(build))).toMatchObject({
      status: 502,
      json: { code: 'history_too_large' },
    });
  });

  it('is what a tester replays, with one field in a line', async () => {
    const build = await newBuild();
    await run(build, { polls: [BUILDING, BUILT] });
    const answer = await api.call('GET', path(build));
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(`${JSON.stringify(answer.json, null, 1)}\n`);
    expect(answer.json.events[0].eventType).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
    expect(answer.json.events.at(-1).eventType).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED');
    expect(await replay(answer.text)).toEqual(['ok']);
  });

  it('names no machine, and no secret that a URL holds', async () => {
    const build = await newBuild();
    await run(build, { polls: [BUILT] });
    const { text, json } = await api.call('GET', path(build));
    const readable = text.replaceAll(/"data": "([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(readable).toContain('http://scrubbed@127.0.0.1:1/jobs/7?token=scrubbed&job=scrubbed');
    expect(readable).not.toMatch(/s3cr3t|wLJ7/);
    expect(readable).not.toMatch(/"identity": "(?!scrubbed)|"\d+@/);
    expect(json.events.length).toBeGreaterThan(10);
  });

  it('is that of the latest run, and leads to those before', async () => {
    const build = await newBuild();
    const polls = [...Array.from({ length: 6 }, () => BUILDING), BUILT];
    await run(build, { polls }, { historyMaxEvents: 30 });
    const latest = await api.call('GET', path(build));
    expect(link(latest.headers, 'next')).toBeUndefined();
    expect(link(latest.headers, 'last')).toBe(path(build));
    const again = await api.call('GET', link(latest.headers, 'self') ?? '');
    expect(again.json).toEqual(latest.json);

    const texts = [latest.text];
    for (let at = link(latest.headers, 'prev'), after = link(latest.headers, 'self'); at;) {
      const { text, headers, status } = await api.call('GET', at);
      expect(status).toBe(200);
      expect(link(headers, 'next')).toBe(after);
      texts.push(text);
      [at, after] = [link(headers, 'prev'), at];
    }
    expect(texts.length).toBeGreaterThan(1);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(await replay(text)).toEqual(['ok']);
  });

  it('leads to the run that an operator has reset, with what that did after the reset', async () => {
    const build = await newBuild();
    await run(build, { polls: [BUILT] });
    const runIds = [(await client.workflow.getHandle(build.workflowId).describe()).runId];
    for (let resets = 0; resets < 2; resets++) runIds.unshift(await resetToFirstTask(build));

    const links = (runId = '') => api.call('GET', path(build, `?run=${runId}`));
    const runOf = (address: string | undefined) => /run=([^&]*)/.exec(address ?? '')?.[1];
    const runsBefore = async () => {
      const found = [];
      for (let at = runIds[0]; at; at = runOf(link((await links(at)).headers, 'prev')))
        found.push(at);
      return found;
    };
    // Temporal lists a new run a little later.
    await until('all runs are found', async () => (await runsBefore()).length === runIds.length);
    expect(await runsBefore()).toEqual(runIds);
    expect(runOf(link((await links(runIds[2])).headers, 'next'))).toBe(runIds[1]);
    expect(runOf(link((await links(runIds[1])).headers, 'next'))).toBe(runIds[0]);
    expect(link((await links(runIds[0])).headers, 'next')).toBeUndefined();
    expect((await links(runIds[2])).text).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED');
    await client.workflow.getHandle(build.workflowId).terminate('the test is over');
  });

  it('leads from an attempt to the attempt before it', async () => {
    const build = await newBuild();
    await run(build, { polls: [{ builds: ['Failed to build'] }] });
    await build.update({ attempt: 2 });
    const unstarted = await api.call('GET', path(build));
    expect(unstarted).toMatchObject({ status: 404, json: { code: 'not_found' } });
    await run(build, { polls: [BUILT] });
    const second = await api.call('GET', path(build));
    expect(link(second.headers, 'self')).toContain('?attempt=2&run=');
    expect(link(second.headers, 'prev')).toBe(path(build, '?attempt=1'));
    const first = await api.call('GET', path(build, '?attempt=1'));
    expect(first.status).toBe(200);
    expect(first.text).not.toBe(second.text);
    expect(link(first.headers, 'prev')).toBeUndefined();
  });

  it('is as long as a build under way has come, and comes in one piece however long it is', async () => {
    const build = await newBuild();
    const { handle } = await start(build);
    for (let index = 0; index < 250; index += 50)
      await Promise.all(Array.from({ length: 50 }, () => handle.signal('nothing')));
    const { json } = await api.call('GET', path(build));
    const ids = json.events.map(({ eventId }: { eventId: string }) => Number(eventId));
    expect(ids).toEqual(ids.map((_: number, index: number) => index + 1));
    expect(ids.length).toBeGreaterThan(250);
    const head = await api.call('HEAD', path(build));
    expect(head).toMatchObject({ status: 200, text: '' });
    await handle.terminate();
  });
});

describe('a history that cannot be read', () => {
  const NO_RUN = '00000000-0000-4000-8000-000000000000';

  it.each([
    ['build does not exist', '/api/v1/build/999999/workflow-history/', 404, /^There is no build/],
    ['attempt does not exist', '?attempt=2', 404, /^Build \d+ has no attempt 2\.$/],
    ['run is not in Temporal', `?run=${NO_RUN}`, 404, /./],
    ['run has no id of a run', '?run=latest', 400, /./],
    ['attempt has no number of an attempt', '?attempt=0', 400, /./],
  ])('is refused where its %s', async (_, query, status, said) => {
    const build = await newBuild();
    const { handle } = await start(build);
    const answer = await api.call('GET', query.startsWith('/') ? query : path(build, query));
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ code: expect.any(String), hint: expect.any(String) });
    expect(answer.json.error).toMatch(said);
    await handle.terminate();
  });

  it('is answered 404 where no workflow was started yet, or Temporal has forgotten it', async () => {
    const answer = await api.call('GET', path(await newBuild()));
    expect(answer).toMatchObject({
      status: 404,
      json: { code: 'not_found', error: expect.stringContaining('retention') },
    });
  });

  it('is answered 503, and when to come again, while Temporal is down', async () => {
    const build = await newBuild();
    const { handle } = await start(build);
    await gate.shut();
    const answer = await api.call('GET', path(build));
    expect(answer).toMatchObject({ status: 503, json: { code: 'temporal_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('5');
    await handle.terminate();
  });

  it('is cut where Temporal goes down under it, and never looks whole', async () => {
    const build = await newBuild();
    const { handle } = await start(build);
    await until(
      'the API has found Temporal again',
      async () => (await api.call('GET', path(build))).status === 200,
      300_000,
    );
    readHistory = async (...of) => {
      const history = await workflows.readHistory(...of);
      return history && { ...history, pages: failingAfter(history.pages) };
    };
    await expect(api.call('GET', path(build))).rejects.toThrow();
    await handle.terminate();
  });
});

async function* failingAfter(pages: AsyncIterable<readonly unknown[]>) {
  yield* pages;
  throw new Error('14 UNAVAILABLE: Connection dropped');
}
