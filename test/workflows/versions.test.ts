import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { WatchPpaInput } from '../../domain/builds/ppa-watch.ts';
import type { CleaningAnswer, CleaningInput } from '../../domain/landings/pool-ppa.ts';
import { loadConfig } from '../../main/config/config.ts';
import { workerVersion } from '../../main/config/temporal-worker.ts';
import { temporalAddress, workflowBundle } from '../support/addresses.ts';
import { CLEANING_LIMITS } from '../support/build-limits.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

const PATIENCE_MS = 300_000;
const HEARTBEAT_MS = 1_000;
/** Temporal's PinnedOverrideBehavior of one that stays where it is. */
const PINNED = 1;

/** The versions whose workers have had the activities of a workflow, one after the other. */
const versionsOf = new Map<string, string[]>();
const gates = new Map<string, { opened: Promise<void>; open: () => void }>();
let connection: Connection;
let nativeConnection: NativeConnection;
let client: Client;
let taskQueue: string;
let deploymentName: string;

beforeAll(async () => {
  connection = await Connection.connect({ address: temporalAddress() });
  nativeConnection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
});
beforeEach(() => {
  taskQueue = `test-${randomUUID()}`;
  deploymentName = `airline-${randomUUID()}`;
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
      async emptyPpa(): Promise<CleaningAnswer> {
        return (await isFirstPoll(buildId)) ? { waitsFor: 'a second poll' } : { isClean: true };
      },
      async endCleaning(): Promise<void> {},
      watchPpa: async () => ({ watched: (await isFirstPoll(buildId)) ? 1 : 0 }),
    },
  });
  const stopped = worker.run();
  return async () => {
    worker.shutdown();
    await stopped;
  };
}

/** Whether its workflow has polled for the first time; such a poll takes until the gate is open. */
async function isFirstPoll(buildId: string): Promise<boolean> {
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const versions = versionsOf.get(workflowId);
  versions?.push(buildId);
  const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
  await gates.get(workflowId)?.opened;
  clearInterval(heartbeat);
  return versions?.length === 1;
}

/** The bundle that ships, with one more command at the beginning of a workflow. */
function changedBundle(): string {
  const shipped = readFileSync(workflowBundle(), 'utf8');
  const line = 'const problem = await problemOf(input);';
  const more = 'await endCleaning({ poolPpaId, cleaning, problem: null });';
  if (!shipped.includes(line)) throw new Error(`No ${line} any more: change this change.`);
  return shipped.replace(line, `${more} ${line}`);
}

/** The bundle that ships, with one more mark of a change at the beginning of a watch. */
function markedBundle(): string {
  const shipped = readFileSync(workflowBundle(), 'utf8');
  const line = 'let { limits, quietRounds = 0 } = input;';
  // How this module of the bundle names the SDK.
  const sdk = /\(0,(\w+)\.setHandler\)/.exec(shipped.split(line)[1] ?? '')?.[1];
  if (!sdk) throw new Error(`No ${line} any more: change this change.`);
  return shipped.replace(line, `${line} (0,${sdk}.patched)('one-more');`);
}

/** Starts a workflow that stays with its version, and gets no further than its first activity. */
function begin() {
  const input: CleaningInput = {
    poolPpaId: 1,
    cleaning: 1,
    ppa: { owner: 'team', distribution: 'debian', name: 'silo' },
    readsPast: true,
    lastUse: null,
    limits: { ...CLEANING_LIMITS, pollMs: 1 },
  };
  return beginWorkflow<{ problem: string | null }>('CleanPpaWorkflow', input);
}

/** Starts one that moves on to the current version, as a landing does, and gets no further either. */
function beginWatch() {
  const input: WatchPpaInput = {
    ppa: { owner: 'team', distribution: 'debian', name: 'silo' },
    limits: { pollInitialMs: 1, pollFactor: 1, pollMaxMs: 1, historyMaxEvents: 2_000 },
  };
  return beginWorkflow<{ rounds: number }>('WatchPpaWorkflow', input);
}

async function beginWorkflow<Result>(workflowType: string, input: CleaningInput | WatchPpaInput) {
  const workflowId = `${workflowType}-${randomUUID()}`;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  gates.set(workflowId, { opened, open });
  versionsOf.set(workflowId, []);
  const handle = await client.workflow.start<(given: typeof input) => Promise<Result>>(
    workflowType,
    {
      taskQueue,
      workflowId,
      args: [input],
    },
  );
  const version = await until(
    'a worker has it',
    () => versionsOf.get(workflowId)?.[0],
    PATIENCE_MS,
  );
  return { workflowId, version, open, result: () => handle.result() };
}

/** Starts workflows until one goes to a version. */
function beginOn<Begun extends { version: string; open: () => void }>(
  buildId: string,
  beginOne: () => Promise<Begun>,
): Promise<Begun> {
  return until(
    `a workflow goes to ${buildId}`,
    async () => {
      const begun = await beginOne();
      if (begun.version === buildId) return begun;
      begun.open();
      return false;
    },
    PATIENCE_MS,
  );
}

/** Holds a workflow on a version, as `temporal workflow update-options` does. */
async function hold(workflowId: string, buildId: string) {
  await connection.workflowService.updateWorkflowExecutionOptions({
    namespace: 'default',
    workflowExecution: { workflowId },
    workflowExecutionOptions: {
      versioningOverride: {
        // The enum lives in a package that we do not depend on.
        pinned: { behavior: PINNED, version: { deploymentName, buildId } },
      },
    },
    updateMask: { paths: ['versioning_override'] },
  });
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
  return beginOn(buildId, begin);
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

it('lets one that moves on end where it is, if it is held there before a roll-back', async () => {
  const stopOld = await startWorker('old', { codePath: workflowBundle() });
  const others = [await deploy('old')];
  const stopNew = await startWorker('new', { code: markedBundle() });
  others.push(await deploy('new'));
  const held = await beginOn('new', beginWatch);

  // The old code does not know its mark.
  await hold(held.workflowId, 'new');
  others.push(await deploy('old'));
  for (const { open } of [...others, held]) open();

  expect(await held.result()).toEqual({ rounds: 2 });
  expect(versionsOf.get(held.workflowId)).toEqual(['new', 'new']);
  for (const { result } of others) await result();
  await stopNew();
  await stopOld();
});
