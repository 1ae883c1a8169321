import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import {
  createTemporalWorkflows,
  type TemporalWorkflows,
} from '../../dispatch/temporal-workflows.ts';
import { startDispatcher } from '../../dispatch/dispatcher.ts';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { BUILD_LIMITS, CLEANING_LIMITS, LANDING_LIMITS } from '../support/build-limits.ts';
import { addBuild, dispatchDue } from '../support/rows.ts';
import { until } from '../support/until.ts';
import { useApi } from '../api/serve.ts';
import type { Resource } from '../support/world.ts';
import { scriptedActivities, type PpaScript } from '../workflows/scripted-activities.ts';
import { DISPATCHER_OPTIONS } from './dispatcher-options.ts';

jest.setTimeout(600_000);

const PATIENCE_MS = 300_000;
const MINUTE_MS = 60_000;
const api = useApi();
const taskQueue = `test-${randomUUID()}`;
/** A PPA that builds for as long as the test wants. */
const script: PpaScript = { polls: [{ builds: ['Currently building'] }] };
const { activities, polls } = scriptedActivities(script);

let connection: Connection;
let nativeConnection: NativeConnection;
let workflows: TemporalWorkflows;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  workflows = createTemporalWorkflows({
    address: temporalAddress(),
    namespace: 'default',
    // No task of it comes while one worker goes and the next comes.
    limits: { ...BUILD_LIMITS, pollInitialMs: 1_000, pollMaxMs: 1_000 },
    landingLimits: LANDING_LIMITS,
    cleaningLimits: CLEANING_LIMITS,
    rpcTimeoutMs: MINUTE_MS,
    uploadCheckMs: MINUTE_MS,
    taskQueue,
  });
});
afterAll(async () => {
  await endWorker();
  await workflows.close();
  await connection.close();
  await nativeConnection.close();
});

let endWorker = async () => {};

/** Ends the worker that there is, and starts one with a bundle. */
async function deploy(bundle: { codePath: string } | { code: string }) {
  await endWorker();
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: bundle,
    activities,
  });
  const ended = worker.run();
  endWorker = async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await ended;
  };
}

/** The bundle that ships, with one more command at the beginning of a build. */
function divergingBundle(): string {
  const shipped = readFileSync(workflowBundle(), 'utf8');
  const line = /const outcome = await run\w*\(attempt\);/;
  if (!line.test(shipped)) throw new Error(`No ${line.source} any more: change this change.`);
  const more = "await attempt.report({ key: 'more', message: 'STARTED', phase: 'checking' });";
  return shipped.replace(line, (found) => `${more} ${found}`);
}

/** What operators see. */
async function seen(buildId: number) {
  const { json: status } = await api.now.call('GET', '/api/v1/status');
  const { text: metrics } = await api.now.call('GET', '/metrics');
  const { json: build } = await api.now.call('GET', `/api/v1/build/${buildId}/`);
  return {
    trouble: build.trouble,
    why: status.waiting.find((one: Resource) => one.build === build.resource_uri)?.why,
    stuck: /^airline_builds_stuck (\d+)$/m.exec(metrics)?.[1],
  };
}

it('a build that the deployed workflows cannot replay says so, and ends once they can', async () => {
  const { database } = api.now;
  const build = await addBuild(database);
  await deploy({ codePath: workflowBundle() });
  await dispatchDue(database, 1, () =>
    workflows.start({
      workflowId: build.workflowId,
      requestId: build.requestId,
      request: build.toRequest(),
      ppa: acceptedPpa(build),
      packagesToRetry: undefined,
    }),
  );
  await until('the PPA builds it', () => polls() > 1, PATIENCE_MS);
  await deploy({ code: divergingBundle() });
  const dispatcher = startDispatcher({
    database,
    workflows,
    ...DISPATCHER_OPTIONS,
    startMs: PATIENCE_MS,
    silenceMs: 1,
  });
  try {
    await until(
      'its trouble is told',
      async () => (await seen(build.id)).trouble !== null,
      PATIENCE_MS,
    );
    const trouble = {
      step: 'workflow',
      message: expect.stringMatching(/Nondeterminism|TMPRL1100/),
    };
    expect(await seen(build.id)).toMatchObject({
      trouble,
      why: expect.stringMatching(/Nondeterminism|TMPRL1100/),
      stuck: '1',
    });
    await deploy({ codePath: workflowBundle() });
    await until('it goes on', async () => (await seen(build.id)).trouble === null, PATIENCE_MS);
    expect((await seen(build.id)).stuck).toBe('0');
    script.polls = [{ builds: ['Successfully built'] }];
    await dispatcher.stop();
    const { workflow } = new Client({ connection });
    expect(await workflow.getHandle(build.workflowId).result()).toMatchObject({
      state: 'completed',
    });
  } finally {
    await dispatcher.stop();
  }
});
