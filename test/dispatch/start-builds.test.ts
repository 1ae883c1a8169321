import pino from 'pino';
import type { TemporalWorkflows } from '../../dispatch/temporal-workflows.ts';
import { startBuilds } from '../../dispatch/build-starter.ts';
import { startDispatcher } from '../../dispatch/dispatcher.ts';
import { deliverCancellations } from '../../dispatch/deliver-cancellations.ts';
import { endUnstartedBuilds } from '../../dispatch/end-unstarted-builds.ts';
import { isTemporalUnavailable } from '../../dispatch/temporal-errors.ts';
import type { Build } from '../../models/builds/build.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, cancelBuild, dispatchDue, report } from '../support/rows.ts';
import { until } from '../support/until.ts';
import { DISPATCHER_OPTIONS } from './dispatcher-options.ts';

const database = useDatabase();
const { signal } = new AbortController();
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIMITS = { startMs: HOUR_MS, maxUntaken: 1_000 };
/** Temporal, which does not take the builds that are named, and what it was asked. */
function temporal(fails: readonly Build[] = []) {
  const asked: string[] = [];
  const answer = (workflowId: string) => {
    asked.push(workflowId);
    if (fails.some((build) => build.workflowId === workflowId)) throw new Error('not this build');
  };
  const unused = () => Promise.reject(new Error('nobody asks for it here'));
  const workflows: TemporalWorkflows = {
    start: async ({ workflowId }) => answer(workflowId),
    signalAsk: () => Promise.resolve('ended'),
    signalCancel: async (workflowId) => {
      answer(workflowId);
      return 'delivered';
    },
    startLanding: unused,
    startCleaning: unused,
    signalDecision: unused,
    signalWake: unused,
    endedWithoutResult: () => Promise.resolve([]),
    status: unused,
    describeQueues: unused,
    describeWorkers: unused,
    readHistory: unused,
    checkUpload: unused,
    probe: unused,
    close: unused,
  };
  const context = {
    database: database.now,
    workflows,
    logger: pino({ level: 'silent' }),
    retry: { firstMs: HOUR_MS, maxMs: HOUR_MS },
  };
  return { asked, context };
}

/** A build that should have had its workflow long ago. */
async function addOverdue(): Promise<Build> {
  const build = await addBuild(database.now);
  return build.update({ requestedAt: new Date(Date.now() - 2 * HOUR_MS) });
}

async function addMany(count: number): Promise<Build[]> {
  const builds: Build[] = [];
  while (builds.length < count) builds.push(await addBuild(database.now));
  return builds;
}

const idsOf = (builds: readonly Build[]) => builds.map(({ workflowId }) => workflowId);

describe('a build that has had no workflow for too long', () => {
  it('is not ended where another dispatcher has started it meanwhile', async () => {
    const build = await addOverdue();
    const asRead = jest.spyOn(database.now.Build, 'unstartedFor').mockResolvedValue([build]);
    await dispatchDue(database.now, 1, async () => {});
    await endUnstartedBuilds(temporal().context, HOUR_MS, signal);
    asRead.mockRestore();
    expect(await build.reload()).toMatchObject({ finishedAt: null });
  });

  it('is not started any more', async () => {
    const [overdue, next] = [await addOverdue(), await addBuild(database.now)];
    const { asked, context } = temporal();
    await startBuilds(context, LIMITS, signal);
    expect(asked).toEqual([next.workflowId]);
    await endUnstartedBuilds(context, HOUR_MS, signal);
    expect(await overdue.reload()).toMatchObject({
      failure: {
        class: 'timed_out',
        message: 'its workflow was not started within 1 h (AIRLINE_START_MS)',
      },
    });
  });

  it('is left to its workflow where that runs, though nobody has heard that it was started', async () => {
    const build = await addOverdue();
    await report(database.now, build, 'STARTED');
    const { asked, context } = temporal();
    await endUnstartedBuilds(context, HOUR_MS, signal);
    expect(await build.reload()).toMatchObject({ phase: 'checking', finishedAt: null });
    for (let round = 0; round < 2; round++) await startBuilds(context, LIMITS, signal);
    expect(asked).toEqual([build.workflowId]);
    expect(await build.reload()).toMatchObject({ dispatchedAt: expect.any(Date) });
  });
});

describe('a build that is cancelled before it has a workflow', () => {
  const addCancelled = async () => {
    const build = await addBuild(database.now);
    await cancelBuild(database.now, build, 'the lander');
    return build;
  };

  it('ends in the next round, though it has no turn to be started; its workflow would find it ended', async () => {
    const cancelled = await addCancelled();
    const next = await addBuild(database.now);
    await endUnstartedBuilds(temporal().context, HOUR_MS, signal);
    expect(await cancelled.reload()).toMatchObject({
      phase: 'cancelled',
      finishedAt: expect.any(Date),
      dispatchedAt: null,
      failure: {
        class: 'cancelled',
        message: 'cancelled by the lander; its workflow was not started',
      },
    });
    expect(await report(database.now, cancelled, 'STARTED')).toBeNull();
    const { asked, context } = temporal();
    await startBuilds(context, LIMITS, signal);
    expect(asked).toEqual([next.workflowId]);
  });

  it('is not started where the cancellation comes just before that', async () => {
    const cancelled = await addCancelled();
    const { asked, context } = temporal();
    await startBuilds(context, LIMITS, signal);
    expect(asked).toEqual([]);
    await endUnstartedBuilds(context, HOUR_MS, signal);
    expect(await cancelled.reload()).toMatchObject({ phase: 'cancelled', dispatchedAt: null });
  });

  it('is left to its workflow where another dispatcher has started that meanwhile', async () => {
    const build = await addCancelled();
    const asRead = await database.now.Build.unstartedFor(HOUR_MS, 1);
    expect(asRead).toMatchObject([{ id: build.id }]);
    const read = jest.spyOn(database.now.Build, 'unstartedFor').mockResolvedValue(asRead);
    await database.now.sequelize.transaction((transaction) => build.markDispatched(transaction));
    await endUnstartedBuilds(temporal().context, HOUR_MS, signal);
    read.mockRestore();
    expect(await build.reload()).toMatchObject({ phase: 'queued', finishedAt: null });
    const { asked, context } = temporal();
    await deliverCancellations(context, signal);
    expect(asked).toEqual([build.workflowId]);
  });

  it('is left to its workflow where that runs, though nobody has heard that it was started', async () => {
    const build = await addCancelled();
    const asRead = await database.now.Build.unstartedFor(HOUR_MS, 1);
    await report(database.now, build, 'STARTED');
    const read = jest.spyOn(database.now.Build, 'unstartedFor').mockResolvedValueOnce(asRead);
    const { asked, context } = temporal();
    for (let round = 0; round < 2; round++) await endUnstartedBuilds(context, HOUR_MS, signal);
    read.mockRestore();
    expect(await build.reload()).toMatchObject({ phase: 'checking', finishedAt: null });
    await startBuilds(context, LIMITS, signal);
    await deliverCancellations(context, signal);
    expect(asked).toEqual([build.workflowId, build.workflowId]);
  });
});

describe('builds that Temporal cannot be told of', () => {
  it('keep no other one from its start, wait by themselves, and say why', async () => {
    const stuck = await addMany(20);
    const [next] = await addMany(1);
    const { asked, context } = temporal(stuck);
    await startBuilds(context, LIMITS, signal);
    expect(asked.toSorted()).toEqual(idsOf([...stuck, ...(next ? [next] : [])]).toSorted());
    expect(await stuck[0]?.reload()).toMatchObject({
      dispatchedAt: null,
      failedTries: 1,
      lastError: { step: 'start', message: 'not this build', tries: 1 },
    });

    const [later] = await addMany(1);
    await startBuilds(context, LIMITS, signal);
    expect(asked.slice(21)).toEqual([later?.workflowId]);

    const again = temporal();
    await database.now.Build.update({ nextTryAt: new Date(0) }, { where: { dispatchedAt: null } });
    await startBuilds(again.context, LIMITS, signal);
    expect(again.asked).toHaveLength(20);
    expect(await stuck[0]?.reload()).toMatchObject({ failedTries: 0, lastError: null });
  });

  it('wait by the clock of the database, which all machines share', async () => {
    const [build] = await addMany(1);
    const fast = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 300_000);
    const { context: late } = temporal(build ? [build] : []);
    await startBuilds({ ...late, retry: { firstMs: 1, maxMs: 1 } }, LIMITS, signal);
    fast.mockRestore();
    expect(await build?.reload()).toMatchObject({ dispatchedAt: null, failedTries: 1 });

    const { asked, context } = temporal();
    await startBuilds(context, LIMITS, signal);
    expect(asked).toEqual([build?.workflowId]);
  });

  it('keep no cancellation of another one from being delivered', async () => {
    const builds = await addMany(21);
    await dispatchDue(database.now, 100, async () => {});
    for (const build of builds) await cancelBuild(database.now, build);
    const { asked, context } = temporal(builds.slice(0, 20));
    await deliverCancellations(context, signal);
    expect(asked).toEqual(idsOf(builds));
    await deliverCancellations(context, signal);
    expect(asked).toHaveLength(21);
  });
});

describe('builds that no worker has taken', () => {
  beforeEach(() =>
    database.now.Build.update({ dispatchedAt: new Date(0) }, { where: { finishedAt: null } }),
  );

  it('wait in the database but for some, so that those under way need not wait behind them', async () => {
    const builds = await addMany(50);
    const { asked, context } = temporal();
    const start = () => startBuilds(context, { ...LIMITS, maxUntaken: 20 }, signal);
    await start();
    expect(asked.toSorted()).toEqual(idsOf(builds.slice(0, 20)).toSorted());
    await start();
    expect(asked).toHaveLength(20);

    for (const build of builds.slice(0, 3)) await report(database.now, build, 'INPROGRESS');
    await start();
    expect(asked.slice(20).toSorted()).toEqual(idsOf(builds.slice(20, 23)).toSorted());
  });

  it('hold up no others for more than minutes: they may never be taken', async () => {
    const builds = await addMany(30);
    const { asked, context } = temporal();
    const start = () => startBuilds(context, { ...LIMITS, maxUntaken: 20 }, signal);
    await start();
    const dispatchedAt = new Date(Date.now() - 6 * MINUTE_MS);
    await database.now.Build.update({ dispatchedAt }, { where: { id: builds[0]?.id } });
    await start();
    expect(asked.slice(20)).toEqual(idsOf(builds.slice(20, 21)));
  });
});

it('more builds than are started in one go, which workers take at once, keep no cancellation waiting', async () => {
  await database.now.Build.update({ dispatchedAt: new Date(0) }, { where: { finishedAt: null } });
  const [running, ...waiting] = await addMany(111);
  if (!running) throw new Error('there is none');
  await database.now.sequelize.transaction((transaction) => running.markDispatched(transaction));
  await cancelBuild(database.now, running);
  const areTaken = jest.spyOn(database.now.Build, 'countUntaken').mockResolvedValue(0);
  const {
    asked,
    context: { workflows },
  } = temporal();
  const dispatcher = startDispatcher({
    ...DISPATCHER_OPTIONS,
    database: database.now,
    workflows,
    intervalMs: HOUR_MS,
  });
  await until('all are started', () => waiting.every(({ workflowId: id }) => asked.includes(id)));
  await dispatcher.stop();
  areTaken.mockRestore();
  const cancelledAt = asked.indexOf(running.workflowId);
  expect(cancelledAt).toBeGreaterThan(0);
  expect(idsOf(waiting)).toEqual(expect.arrayContaining(asked.slice(cancelledAt + 1)));
  expect(asked.slice(cancelledAt + 1)).toHaveLength(10);
});

it('takes one busy workflow for no outage of Temporal, as it does a limit of all', () => {
  const answer = (details: string) =>
    Object.assign(new Error(`8 RESOURCE_EXHAUSTED: ${details}`), {
      code: 8,
      details,
      metadata: {},
    });
  expect(isTemporalUnavailable(answer('Workflow is busy.'))).toBe(false);
  const closing = 'workflow operation can not be applied because workflow is closing';
  expect(isTemporalUnavailable(answer(closing))).toBe(false);
  expect(isTemporalUnavailable(answer('namespace rate limit exceeded'))).toBe(true);
});
