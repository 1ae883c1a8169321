import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import {
  createTemporalWorkflows,
  type TemporalWorkflows,
} from '../../dispatch/temporal-workflows.ts';
import { startDispatcher, type Dispatcher } from '../../dispatch/dispatcher.ts';
import { StartRefusedError } from '../../dispatch/temporal-errors.ts';
import { readWorkflowStatus } from '../../dispatch/workflow-status.ts';
import { NEWS_SIGNAL } from '../../domain/builds/ppa-watch.ts';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import type { Build } from '../../models/builds/build.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { readWaitingBuilds } from '../../models/builds/waiting-builds.ts';
import { createGate, type Gate } from '../api/gate.ts';
import { temporalAddress } from '../support/addresses.ts';
import { BUILD_LIMITS, CLEANING_LIMITS, LANDING_LIMITS } from '../support/build-limits.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  addBuild,
  addLanding,
  architectureBuild,
  cancelBuild,
  dispatchDue,
  report,
  retryBuild,
} from '../support/rows.ts';
import { joinWatch } from '../support/watched-build.ts';
import { registerNamespace } from '../support/temporal-namespace.ts';
import { until } from '../support/until.ts';
import { DISPATCHER_OPTIONS } from './dispatcher-options.ts';

const LIMIT_MS = 60_000;
/** Types of commands, as Temporal numbers them. */
const SCHEDULE_ACTIVITY_TASK = 1;
const START_TIMER = 3;
const MINUTE_MS = 60_000;

let database: Database;
let dropDatabase: () => Promise<void>;
let gate: Gate;
let direct: Connection;
let client: Client;
let workflows: TemporalWorkflows;
let dispatcher: Dispatcher | undefined;

beforeAll(async () => {
  const { url, drop } = await createTestDatabase();
  dropDatabase = drop;
  database = openDatabase(url, 5);
  direct = await Connection.connect({ address: temporalAddress() });
  const namespace = await registerNamespace(direct);
  client = new Client({ connection: direct, namespace });
  gate = await createGate(temporalAddress());
  workflows = workflowsOf(namespace);
}, 300_000);

afterEach(async () => {
  await dispatcher?.stop();
  dispatcher = undefined;
  await gate.open();
});

afterAll(async () => {
  await workflows.close();
  await gate.close();
  await direct.close();
  await database.close();
  await dropDatabase();
});

/** Workflows of a queue of their own that nobody polls: they stay where they are. */
const workflowsOf = (namespace: string) =>
  createTemporalWorkflows({
    address: gate.address,
    namespace,
    limits: BUILD_LIMITS,
    landingLimits: LANDING_LIMITS,
    cleaningLimits: CLEANING_LIMITS,
    rpcTimeoutMs: 10_000,
    uploadCheckMs: 1_000,
    taskQueue: `nobody-${randomUUID()}`,
  });
const dispatch = (
  options: { startMs?: number; silenceMs?: number; workflows?: TemporalWorkflows } = {},
) => {
  dispatcher = startDispatcher({
    database,
    workflows,
    ...DISPATCHER_OPTIONS,
    ...options,
  });
  return dispatcher;
};
/** A dispatcher, and a wait until it has failed to start a build. */
const dispatchInVain = () => {
  let failures = 0;
  const start: TemporalWorkflows['start'] = (build) =>
    workflows.start(build).catch((error: unknown) => {
      failures += 1;
      throw error;
    });
  const running = dispatch({ workflows: { ...workflows, start } });
  return { running, failed: () => until('it has failed', () => failures > 0) };
};
/** What the client throws where nobody answers. */
const TEMPORAL_AWAY = Object.assign(new Error('14 UNAVAILABLE: no connection'), {
  code: 14,
  details: 'no connection',
  metadata: {},
});
/** Workflows as Temporal has them, of which some builds never get one, whoever tries. */
const withoutStartOf = (stuck: readonly Build[]): TemporalWorkflows => ({
  ...workflows,
  start: async (build) => {
    if (stuck.some(({ id }) => id === build.request.buildId)) throw new Error('not this build');
    await workflows.start(build);
  },
});
const startWorkflow = (build: Build, its = workflows) =>
  its.start({
    workflowId: build.workflowId,
    requestId: build.requestId,
    request: build.toRequest(),
    ppa: acceptedPpa(build),
    packagesToRetry: undefined,
  });
const reread = (build: Build) => build.reload();
const dispatched = (build: Build) =>
  until('the build is dispatched', async () => (await reread(build)).dispatchedAt !== null);
const finalOf = async (build: Build) =>
  (await database.ProgressEvent.findAfter(build.id, 0, 10)).find((event) => event.exit);
const signalsOf = async (build: Build) => {
  const { events } = await client.workflow.getHandle(build.workflowId).fetchHistory();
  return (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
};

describe('the dispatcher', () => {
  it('keeps builds until Temporal knows the search attributes, which a worker registers', async () => {
    const build = await addBuild(database);
    await dispatchInVain().failed();
    expect(await reread(build)).toMatchObject({ dispatchedAt: null, finishedAt: null });
    await addSearchAttributes(client.options.namespace);
    await dispatched(build);
  });

  it('starts a workflow that tells an operator what it is', async () => {
    const build = await addBuild(database);
    dispatch();
    await dispatched(build);
    const described = await client.workflow.getHandle(build.workflowId).describe();
    expect(described).toMatchObject({
      workflowId: `build-${build.id}-ticket-${build.ticketId}-hello`,
      type: 'BuildSourceWorkflow',
      memo: {
        ticket: `/api/v1/ticket/${build.ticketId}/`,
        ppa: '~airline/debian/demo',
        sources: ['hello 2.10-3'],
        requestId: 'request-1',
      },
    });
    const attributes = described.typedSearchAttributes.getAll();
    expect(Object.fromEntries(attributes.map(({ key, value }) => [key.name, value]))).toMatchObject(
      {
        AirlineTicket: build.ticketId,
        AirlinePpa: '~airline/debian/demo',
        AirlineSeries: 'bookworm',
        AirlineSource: ['hello 2.10-3'],
        AirlineBuildState: 'queued',
      },
    );
    expect(await described.staticSummary()).toBe(
      `Build hello 2.10-3 for bookworm in ppa:airline/demo, ticket ${build.ticketId}`,
    );
    expect(await described.staticDetails()).toContain(`/api/v1/build/${build.id}/cancel/`);
  });

  it('takes a workflow that a crash left unmarked for started', async () => {
    const build = await addBuild(database);
    await startWorkflow(build);
    await expect(startWorkflow(build)).resolves.toBeUndefined();
    await client.workflow.getHandle(build.workflowId).terminate('ended before it was marked');
    await expect(startWorkflow(build)).resolves.toBeUndefined();
    dispatch();
    await dispatched(build);
  });

  it('starts what was accepted while Temporal was down, and tells another of its cancellation', async () => {
    const cancelled = await addBuild(database);
    await dispatchDue(database, 1, (build) => startWorkflow(build));
    await gate.shut();
    const { running, failed } = dispatchInVain();
    const build = await addBuild(database);
    await cancelBuild(database, cancelled, 'the lander');
    running.wake();
    await failed();
    expect((await reread(build)).dispatchedAt).toBeNull();
    expect(await database.Build.backlog()).toMatchObject({ count: 1, oldestAt: expect.any(Date) });

    await gate.open();
    await dispatched(build);
    await until('the cancellation is delivered', async () =>
      Boolean((await reread(cancelled)).cancelDeliveredAt),
    );
    expect(await signalsOf(cancelled)).toMatchObject([{ signalName: 'cancel' }]);
  });

  it('ends what is cancelled while Temporal is down', async () => {
    await gate.shut();
    const { running, failed } = dispatchInVain();
    const build = await addBuild(database);
    await failed();
    await cancelBuild(database, build, 'the lander');
    running.wake();
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
    expect(await finalOf(build)).toMatchObject({
      exit: true,
      failure: {
        class: 'cancelled',
        message: 'cancelled by the lander; its workflow was not started',
      },
    });
  });

  it('tells a running workflow of its cancellation when it is woken', async () => {
    const build = await addBuild(database);
    const running = dispatch();
    await dispatched(build);
    expect(await signalsOf(build)).toEqual([]);
    await cancelBuild(database, build, 'the lander');
    running.wake();
    await until('the signal is there', async () => (await signalsOf(build)).length === 1);
  });

  it('ends a build that Temporal will never take, and goes on with the next', async () => {
    const tooLarge = await addBuild(database, {
      sourcePackages: [`http://127.0.0.1/${'x'.repeat(3_000_000)}.changes`],
    });
    const next = await addBuild(database);
    dispatch();
    await dispatched(next);
    await until('it has ended', async () => (await reread(tooLarge)).finishedAt !== null);
    expect(await finalOf(tooLarge)).toMatchObject({
      state: 'FAILED',
      exit: true,
      failure: { class: 'internal', message: expect.stringContaining('Temporal refuses') },
    });
    expect(await reread(tooLarge)).toMatchObject({ state: 'failed', dispatchedAt: null });
  });

  it('starts a build with more and longer names than Temporal takes as one search attribute', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `${'n'.repeat(240)}${at + 10}`);
    const build = await addBuild(database, {
      sourcePackages: names.map((name) => `http://127.0.0.1/${name}_1.0_source.changes`),
    });
    dispatch();
    await dispatched(build);
    const { memo, typedSearchAttributes } = await client.workflow
      .getHandle(build.workflowId)
      .describe();
    const all = names.map((name) => `${name} 1.0`);
    expect(memo).toMatchObject({ sources: all });
    const shown = typedSearchAttributes
      .getAll()
      .find(({ key }) => key.name === 'AirlineSource')?.value;
    expect(shown).toEqual(all.slice(0, 8));
  });

  it('starts, cancels and ends the others while some builds cannot be started', async () => {
    const terminated = await addBuild(database);
    const cancelled = await addBuild(database);
    await dispatchDue(database, 2, (build) => startWorkflow(build));
    await reread(terminated);
    await client.workflow.getHandle(terminated.workflowId).terminate('by an operator');
    await cancelBuild(database, cancelled, 'the lander');
    // More than are tried in one round.
    const stuck: Build[] = [];
    for (let index = 0; index < 20; index++) stuck.push(await addBuild(database));
    const behind = await addBuild(database);

    dispatch({ workflows: withoutStartOf(stuck) });
    await dispatched(behind);
    await until(
      'the cancellation is delivered',
      async () => (await signalsOf(cancelled)).length === 1,
    );
    await until(
      'the terminated one has ended',
      async () => (await reread(terminated)).finishedAt !== null,
    );
    for (const build of stuck)
      expect(await reread(build)).toMatchObject({ dispatchedAt: null, finishedAt: null });

    await dispatcher?.stop();
    dispatch();
    for (const build of stuck) await dispatched(build);
  });

  it('begins with the oldest when Temporal is back, however often it was away', async () => {
    const waiting: Build[] = [];
    for (let index = 0; index < 20; index++) waiting.push(await addBuild(database));
    const started: number[] = [];
    let refused = 0;
    dispatch({
      workflows: {
        ...workflows,
        start: async (build) => {
          if (refused++ < 12) throw TEMPORAL_AWAY;
          started.push(build.request.buildId);
          await workflows.start(build);
        },
      },
    });
    for (const build of waiting) await dispatched(build);
    expect(Math.min(...started.slice(0, 8))).toBe(waiting[0]?.id);
  });

  it('ends a build whose workflow was terminated, because nobody else would', async () => {
    const build = await addBuild(database);
    dispatch();
    await dispatched(build);
    await client.workflow.getHandle(build.workflowId).terminate('by an operator');
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
    expect(await finalOf(build)).toMatchObject({
      message: 'FAILURE',
      failure: { class: 'internal', message: expect.stringContaining('terminated') },
    });
  });

  it('lets a build be whose terminated workflow an operator has reset', async () => {
    const build = await addBuild(database);
    const terminated = await addBuild(database);
    const its = workflowsOf(client.options.namespace);
    await dispatchDue(database, 1, () => startWorkflow(build, its));
    await dispatchDue(database, 1, () => startWorkflow(terminated));
    await resetWorkflow(build.workflowId);
    await its.close();
    await client.workflow.getHandle(terminated.workflowId).terminate('by an operator');
    await until('both have a run that is listed as terminated', async () => {
      const ended = await workflows.endedWithoutResult(build.createdAt);
      return [build, terminated].every(({ workflowId }) => ended.includes(workflowId));
    });

    dispatch();
    // It is looked at behind the other one.
    await until(
      'the terminated one has ended',
      async () => (await reread(terminated)).finishedAt !== null,
    );
    expect(await reread(build)).toMatchObject({ finishedAt: null });
    await client.workflow.getHandle(build.workflowId).terminate('this one, too');
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
  });

  it('has a build poll by itself that no watch polls for, once in that time', async () => {
    const longAgo = new Date(Date.now() - 2 * MINUTE_MS);
    const addUnwatched = async (joinedAt: Date) => {
      const build = await addBuild(database);
      await dispatchDue(database, 1, (each) => startWorkflow(each));
      const { id: buildId, workflowId } = build;
      const name = `unwatched-${buildId}`;
      const ppa = `~airline/debian/${name}`;
      await joinWatch(database, build, { name });
      await database.WatchedBuild.update({ joinedAt }, { where: { buildId } });
      await database.PpaWatch.update({ roundAt: longAgo }, { where: { ppa } });
      const asked = async () => (await database.WatchedBuild.findByPk(buildId))?.askedAt ?? null;
      return { buildId, workflowId, asked };
    };
    const { buildId, workflowId, asked } = await addUnwatched(longAgo);
    const signals = async () => {
      const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
      return (events ?? []).flatMap(
        ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? [],
      );
    };

    dispatch();
    await until('it is asked', async () => (await asked()) !== null);
    const first = await asked();
    // A sweep takes them as they have joined.
    const later = await addUnwatched(new Date(longAgo.getTime() + 1));
    await until('a later one is asked', async () => (await later.asked()) !== null);
    expect(await signals()).toEqual([NEWS_SIGNAL]);
    expect(await asked()).toEqual(first);

    await client.workflow.getHandle(workflowId).terminate('its workflow is gone');
    await database.WatchedBuild.update({ askedAt: longAgo }, { where: { buildId } });
    await until('it is watched no more', async () => {
      return (await database.WatchedBuild.findByPk(buildId)) === null;
    });
    await database.WatchedBuild.destroy({ where: { buildId: later.buildId } });
  });

  it('ends a build whose workflow Temporal has lost', async () => {
    const build = await addBuild(database);
    await dispatchDue(database, 1, async () => {});
    dispatch({ silenceMs: 1 });
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
    expect(await finalOf(build)).toMatchObject({
      failure: { class: 'internal', message: expect.stringContaining('unknown to Temporal') },
    });
  });

  it('lets a silent build be whose workflow is running', async () => {
    const silent = await addBuild(database);
    const lost = await addBuild(database);
    await dispatchDue(database, 1, (build) => startWorkflow(build));
    await dispatchDue(database, 1, async () => {});
    dispatch({ silenceMs: 1 });
    // It is asked after behind the other one.
    await until('the lost one has ended', async () => (await reread(lost)).finishedAt !== null);
    expect(await reread(silent)).toMatchObject({ state: 'queued', finishedAt: null });
  });

  it('says of a build that its workflow fails again and again, and why, until it does no more', async () => {
    const build = await addBuild(database);
    const its = workflowsOf(client.options.namespace);
    await dispatchDue(database, 1, () => startWorkflow(build, its));
    await its.close();
    for (let tries = 0; tries < 2; tries++)
      await answerTask(build.workflowId, (taskToken, namespace) =>
        direct.workflowService.respondWorkflowTaskFailed({
          namespace,
          taskToken,
          failure: { message: '[TMPRL1100] Nondeterminism error' },
        }),
      );
    dispatch({ silenceMs: 1 });
    await until('its trouble is told', async () => (await reread(build)).lastError !== null);
    expect(build.lastError).toMatchObject({
      step: 'workflow',
      message: '[TMPRL1100] Nondeterminism error',
      tries: 2,
    });
    expect(await readWaitingBuilds(database.sequelize, 100)).toMatchObject({
      builds: expect.arrayContaining([expect.objectContaining({ id: build.id })]),
    });
    expect(await database.Build.countStuck()).toBe(1);

    await answerTask(build.workflowId, (taskToken, namespace) =>
      direct.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken }),
    );
    await until('it goes on', async () => (await reread(build)).lastError === null);
  });

  it('takes a workflow whose task no worker has taken for minutes for one that cannot get on', async () => {
    const build = await addBuild(database);
    await dispatchDue(database, 1, () => startWorkflow(build, workflows));
    const statusIn = (ms: number) =>
      readWorkflowStatus(client, build.workflowId, (call) => call(), Date.now() + ms);
    expect(await statusIn(0)).toEqual({ state: 'running', isIdle: false });
    expect(await statusIn(6 * MINUTE_MS)).toEqual({
      state: 'stuck',
      tries: 1,
      message: expect.stringMatching(/^no worker has taken its task for 6 min/),
    });
  });

  it('takes a workflow that waits for a timer alone for one that is idle, and sees what is paused', async () => {
    const hour = { seconds: 3_600 as never };
    const timer = { timerId: '1', startToFireTimeout: hour };
    const activity = {
      activityId: '1',
      activityType: { name: 'uploadSource' },
      taskQueue: { name: `nobody-${randomUUID()}` },
      startToCloseTimeout: hour,
    };
    const wait = { commandType: START_TIMER, startTimerCommandAttributes: timer };
    const upload = {
      commandType: SCHEDULE_ACTIVITY_TASK,
      scheduleActivityTaskCommandAttributes: activity,
    };
    const build = await addBuild(database);
    const its = workflowsOf(client.options.namespace);
    await dispatchDue(database, 1, () => startWorkflow(build, its));
    const statusAfter = async (command: typeof wait | typeof upload) => {
      await answerTask(build.workflowId, (taskToken, namespace) =>
        direct.workflowService.respondWorkflowTaskCompleted({
          namespace,
          taskToken,
          commands: [command],
        }),
      );
      return its.status(build.workflowId);
    };
    expect(await statusAfter(wait)).toEqual({ state: 'running', isIdle: true });
    await its.signalAsk(build.workflowId);
    expect(await its.status(build.workflowId)).toEqual({ state: 'running', isIdle: false });
    expect(await statusAfter(upload)).toEqual({ state: 'running', isIdle: false });

    const { namespace } = client.options;
    const execution = { workflowId: build.workflowId };
    const pause = { identity: 'ana@ops', reason: 'the PPA moves' };
    await direct.workflowService.pauseActivity({ namespace, execution, id: '1', ...pause });
    expect(await its.status(build.workflowId)).toEqual({
      state: 'running',
      isIdle: false,
      paused: {
        tries: 1,
        message: 'uploadSource is paused in Temporal by ana@ops: the PPA moves',
      },
    });
    await its.close();
  });

  it('ends a build and a landing that Temporal has not started within their time', async () => {
    await gate.shut();
    const build = await addBuild(database);
    const landing = await addLanding(database);
    dispatch({ startMs: 300 });
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
    await until('the landing has ended', async () => (await landing.reload()).finishedAt !== null);
    expect(await finalOf(build)).toMatchObject({
      failure: {
        class: 'timed_out',
        retryable: true,
        message: expect.stringContaining('(AIRLINE_START_MS)'),
      },
    });
  });

  it('starts the next attempt of a build, with what the PPA may build again', async () => {
    const build = await addBuild(database);
    const failed = architectureBuild({ buildstate: 'Failed to build' });
    await report(database, build, 'FAILURE', { builds: [failed] });
    await retryBuild(database, build);
    dispatch();
    await dispatched(build);
    expect(build.workflowId).toMatch(/-attempt-2$/);
    const { events } = await client.workflow.getHandle(build.workflowId).fetchHistory();
    const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    expect(JSON.parse(Buffer.from(input ?? []).toString())).toMatchObject({
      request: { buildId: build.id, attempt: 2 },
      retry: [{ source: 'hello', version: '2.10-3' }],
    });
  });

  it('ends a cancelled build that has no workflow any more', async () => {
    const build = await addBuild(database);
    await dispatchDue(database, 1, (build) => startWorkflow(build));
    await client.workflow.getHandle(build.workflowId).terminate('by an operator');
    await cancelBuild(database, build, 'the lander');
    dispatch();
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
    expect(await finalOf(build)).toMatchObject({
      failure: { class: 'cancelled', message: expect.stringContaining('the lander') },
    });
  });

  it('ends one that was to be cancelled, and has no workflow any more, as cancelled', async () => {
    const build = await addBuild(database);
    await dispatchDue(database, 1, () => startWorkflow(build));
    await cancelBuild(database, build, 'the lander');
    await (await reread(build)).markCancellationDelivered();
    await client.workflow.getHandle(build.workflowId).terminate('its history was too large');
    dispatch();
    await until('the build has ended', async () => (await reread(build)).finishedAt !== null);
    expect(await finalOf(build)).toMatchObject({
      failure: {
        class: 'cancelled',
        message: expect.stringMatching(/^cancelled by the lander; its workflow was term/),
      },
    });
  });

  it('tells the next attempt of its cancellation, though that of the one before was just delivered', async () => {
    const build = await addBuild(database);
    await dispatchDue(database, 1, (build) => startWorkflow(build));
    await cancelBuild(database, build, 'the lander');
    let signals = 0;
    dispatch({
      workflows: {
        ...workflows,
        signalCancel: async (workflowId, requestedBy) => {
          const outcome = await workflows.signalCancel(workflowId, requestedBy);
          signals += 1;
          if (signals === 1) {
            await report(database, build, 'FAILURE');
            await retryBuild(database, build);
            await dispatchDue(database, 1, (retried) => startWorkflow(retried));
            await cancelBuild(database, build);
          }
          return outcome;
        },
      },
    });
    await until('both attempts know', async () => signals === 2);
    expect(await reread(build)).toMatchObject({ attempt: 2, finishedAt: null });
    expect(await signalsOf(build)).toMatchObject([{ signalName: 'cancel' }]);
  });

  it('shares the work with other dispatchers: each build is started once', async () => {
    const builds = [];
    for (let index = 0; index < 12; index++) builds.push(await addBuild(database));
    const started: number[] = [];
    const counting = (build: Build) => {
      started.push(build.id);
      return sleep(5);
    };
    const counts = await Promise.all([1, 2, 3].map(() => dispatchDue(database, 100, counting)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(started.toSorted((a, b) => a - b)).toEqual(builds.map(({ id }) => id));
  });
});

describe('a start', () => {
  it('waits for search attributes that are not registered, and is refused for any other fault of one', async () => {
    const namespace = await registerNamespace(direct);
    const its = workflowsOf(namespace);
    const build = await addBuild(database);
    const refusal = () =>
      startWorkflow(build, its).then(
        () => undefined,
        (error: unknown) => error,
      );
    const unregistered = await refusal();
    expect(unregistered).toBeInstanceOf(Error);
    expect(unregistered).not.toBeInstanceOf(StartRefusedError);

    // AirlineTicket is a number: as a keyword, Temporal does not take it.
    await addSearchAttributes(namespace, { AirlineTicket: 2 });
    await until('it is refused', async () => (await refusal()) instanceof StartRefusedError);
    expect(String(await refusal())).toContain('invalid value for search attribute AirlineTicket');
    await its.close();
  });
});

describe('the worker queues', () => {
  it('are described with their backlog', async () => {
    const build = await addBuild(database);
    dispatch();
    await dispatched(build);
    await until('the backlog shows', async () => {
      const [first] = await workflows.describeQueues();
      return (first?.backlog ?? 0) > 0;
    });
    expect(await workflows.describeQueues()).toMatchObject([
      { kind: 'workflow', pollers: [] },
      { kind: 'activity', pollers: [], backlog: 0 },
    ]);
  });
});

/** Answers the task of a workflow for a worker that is not there. @returns the task */
async function answerTask(
  workflowId: string,
  answer: (taskToken: Uint8Array, namespace: string) => Promise<unknown>,
) {
  const { namespace } = client.options;
  const { taskQueue } = await client.workflow.getHandle(workflowId).describe();
  const task = await direct.withDeadline(Date.now() + LIMIT_MS, () =>
    direct.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
  );
  await answer(task.taskToken, namespace);
  return task;
}

/** Resets a workflow, as an operator does, to its first task, which is done for a worker that is not there. */
async function resetWorkflow(workflowId: string): Promise<void> {
  const { namespace } = client.options;
  const { workflowService } = direct;
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const { startedEventId } = await answerTask(workflowId, (taskToken) =>
    workflowService.respondWorkflowTaskCompleted({ namespace, taskToken }),
  );
  await workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: startedEventId.add(1),
    reason: 'by an operator',
    requestId: randomUUID(),
  });
}

/** @param differing types of IndexedValueType in place of those that a worker registers */
async function addSearchAttributes(
  namespace: string,
  differing: { AirlineTicket?: 2 } = {},
): Promise<void> {
  await direct.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: {
      AirlineTicket: 3,
      AirlinePpa: 2,
      AirlineSeries: 2,
      AirlineSource: 7,
      AirlineBuildState: 2,
      ...differing,
    },
  });
}

it('a check of an upload ends by itself where no worker takes it', async () => {
  const checking = workflows.checkUpload({
    ppa: { owner: 'me', distribution: 'debian', name: 'test' },
    series: 'bookworm',
    packages: [],
  });

  await expect(checking).rejects.toThrow('Workflow execution timed out');
});
