import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { CleaningAnswer, CleaningInput } from '../../domain/landings/pool-ppa.ts';
import { loadConfig } from '../../main/config/config.ts';
import { workerVersion } from '../../main/config/temporal-worker.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { CLEANING_LIMITS } from '../support/build-limits.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

const PATIENCE_MS = 300_000;
const HEARTBEAT_MS = 1_000;
const taskQueue = `test-${randomUUID()}`;
const deploymentName = `airline-${randomUUID()}`;

/** The versions whose workers have had the activities of a workflow, one after the other. */
const versionsOf = new Map<string, string[]>();
const gates = new Map<string, { opened: Promise<void>; open: () => void }>();
let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;

beforeAll(async () => {
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await nativeConnection.close();
});

/** Starts a worker of a version. */
async function startWorker(buildId: string, bundle: WorkerOptions['workflowBundle']) {
  const config = loadConfig({
    AIRLINE_WORKER_DEPLOYMENT: deploymentName,
    AIRLINE_WORKER_BUILD_ID: buildId,
  });
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    ...(bundle ? { workflowBundle: bundle } : {}),
    ...workerVersion(config),
    activities: {
      /** Polls twice: the first takes until the gate is open. */
      async emptyPpa(): Promise<CleaningAnswer> {
        const { info } = Context.current();
        const { workflowId = '' } = info.workflowExecution ?? {};
        const versions = versionsOf.get(workflowId);
        versions?.push(buildId);
        const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
        await gates.get(workflowId)?.opened;
        clearInterval(heartbeat);
        return versions?.length === 1 ? { waitsFor: 'a second poll' } : { isClean: true };
      },
      async endCleaning(): Promise<void> {},
    },
  });
  const stopped = worker.run();
  return async () => {
    worker.shutdown();
    await stopped;
  };
}

/** The bundle that ships, with one more command at the beginning of a workflow. */
function changedBundle(): string {
  const shipped = readFileSync(workflowBundle(), 'utf8');
  const line = 'const problem = await problemOf(input);';
  const more = 'await endCleaning({ poolPpaId, cleaning, problem: null });';
  if (!shipped.includes(line)) throw new Error(`No ${line} any more: change this change.`);
  return shipped.replace(line, `${more} ${line}`);
}

/** Starts a workflow that gets no further than its first activity. */
async function begin() {
  const workflowId = `clean-ppa-${randomUUID()}`;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  gates.set(workflowId, { opened, open });
  versionsOf.set(workflowId, []);
  const input: CleaningInput = {
    poolPpaId: 1,
    cleaning: 1,
    ppa: { owner: 'team', distribution: 'debian', name: 'silo' },
    readsPast: true,
    lastUse: null,
    limits: { ...CLEANING_LIMITS, pollMs: 1 },
  };
  const handle = await client.workflow.start<
    (input: CleaningInput) => Promise<{ problem: string | null }>
  >('CleanPpaWorkflow', { taskQueue, workflowId, args: [input] });
  const version = await until(
    'a worker has it',
    () => versionsOf.get(workflowId)?.[0],
    PATIENCE_MS,
  );
  return { workflowId, version, open, result: () => handle.result() };
}

/** Has new workflows go to a version. Temporal takes a while to tell its task queues. */
async function deploy(buildId: string) {
  await until(
    `Temporal knows ${buildId}`,
    () =>
      connection.workflowService
        .setWorkerDeploymentCurrentVersion({ namespace: 'default', deploymentName, buildId })
        .then(
          () => true,
          () => false,
        ),
    PATIENCE_MS,
  );
  return until(
    `a workflow goes to ${buildId}`,
    async () => {
      const begun = await begin();
      if (begun.version === buildId) return begun;
      begun.open();
      return false;
    },
    PATIENCE_MS,
  );
}

it('lets each workflow end where it began, through a deploy and a roll-back, though neither version can replay the other', async () => {
  const changed = { code: changedBundle() };
  const stopOld = await startWorker('old', { codePath: workflowBundle() });
  const first = await deploy('old');
  const stopNew = await startWorker('new', changed);
  // A version that runs and is not current yet gets nothing.
  const second = await begin();
  expect(second.version).toBe('old');

  const third = await deploy('new');
  const fourth = await deploy('old');

  const held = [first, second, third, fourth];
  for (const { open } of held) open();
  for (const { workflowId, version, result } of held) {
    expect(await result()).toEqual({ problem: null });
    expect(versionsOf.get(workflowId)).toEqual([version, version]);
  }
  await stopNew();
  await stopOld();
  // As `npm run replay` does, whose worker has no version.
  const { workflowId } = first;
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const shipped = { workflowBundle: { codePath: workflowBundle() } };
  await Worker.runReplayHistory(shipped, history, workflowId);
  await expect(
    Worker.runReplayHistory({ workflowBundle: changed }, history, workflowId),
  ).rejects.toThrow('Nondeterminism');
});
