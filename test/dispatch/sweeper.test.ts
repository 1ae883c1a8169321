import pino from 'pino';
import { BATCH_SIZE } from '../../dispatch/dispatch-context.ts';
import { Sweeper } from '../../dispatch/sweeper.ts';
import type { TemporalWorkflows } from '../../dispatch/temporal-workflows.ts';
import type { Build } from '../../models/builds/build.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, cancelBuild, dispatchDue, report } from '../support/rows.ts';
import { joinWatch } from '../support/watched-build.ts';

const database = useDatabase();
const { signal } = new AbortController();
const INTERVAL_MS = 60_000;
const SILENCE_MS = 24 * 3_600_000;

afterEach(async () => {
  jest.restoreAllMocks();
  await database.now.sequelize.query('TRUNCATE build CASCADE');
});

function createSweeper(
  workflows: Partial<TemporalWorkflows>,
  { sweepIntervalMs = INTERVAL_MS, ppaWatch = true } = {},
) {
  return new Sweeper(
    {
      database: database.now,
      workflows: workflows as TemporalWorkflows,
      logger: pino({ level: 'silent' }),
    },
    { sweepIntervalMs, silenceMs: SILENCE_MS, unwatchedMs: INTERVAL_MS, ppaWatch },
  );
}

/** Builds that have a workflow. */
async function dispatchBuilds(count: number): Promise<Build[]> {
  const builds: Build[] = [];
  for (let left = count; left > 0; left--) builds.push(await addBuild(database.now));
  await dispatchDue(database.now, count, async () => {});
  return builds;
}

it('the search for lost workflows comes after its interval, though the clock is set back meanwhile', async () => {
  await dispatchBuilds(1);
  const endedWithoutResult = jest.fn(() => Promise.resolve([]));
  const sweeper = createSweeper({ endedWithoutResult });
  const asked = () => endedWithoutResult.mock.calls.length;
  const startedMs = performance.now();
  const passed = jest.spyOn(performance, 'now').mockReturnValue(startedMs);
  const ahead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 3_600_000);
  await sweeper.sweepWhenDue(signal);
  expect(asked()).toBe(1);
  ahead.mockRestore();

  passed.mockReturnValue(startedMs + INTERVAL_MS - 1);
  await sweeper.sweepWhenDue(signal);
  expect(asked()).toBe(1);

  passed.mockReturnValue(startedMs + INTERVAL_MS);
  await sweeper.sweepWhenDue(signal);
  expect(asked()).toBe(2);
});

/** Nobody has heard of any build for longer than the time of silence. */
async function silenceAll(): Promise<void> {
  await database.now.sequelize.query('UPDATE build SET updated_at = :longAgo', {
    replacements: { longAgo: new Date(Date.now() - 2 * SILENCE_MS) },
  });
}

it('a silent build whose workflow is idle polls its PPA by itself where no watch knows it', async () => {
  const [waiting, busy, watched, retried, stopping, queued] = (await dispatchBuilds(6)) as [
    Build,
    Build,
    Build,
    Build,
    Build,
    Build,
  ];
  for (const build of [waiting, busy, watched, retried, stopping])
    await report(database.now, build, 'STARTED');
  for (const build of [watched, retried]) await joinWatch(database.now, build);
  await database.now.Build.update({ attempt: 2 }, { where: { id: retried.id } });
  await retried.reload();
  await stopping.markStopping();
  await silenceAll();
  expect(await queued.reload()).toMatchObject({ phase: 'queued' });
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const asked: string[] = [];
  const workflows: Partial<TemporalWorkflows> = {
    endedWithoutResult: async () => [],
    status: async (workflowId) => ({
      state: 'running',
      isIdle: workflowId !== busy.workflowId,
    }),
    async signalAsk(workflowId) {
      asked.push(workflowId);
      return 'delivered';
    },
  };

  await createSweeper(workflows, { ppaWatch: false }).sweepWhenDue(signal);
  expect(asked).toEqual([]);
  const sweeper = createSweeper(workflows);
  await sweeper.sweepWhenDue(signal);
  const idle = [waiting.workflowId, retried.workflowId, queued.workflowId];
  expect(asked).toEqual(idle);

  // One that polls by itself anyway stays idle, and in no watch.
  nowMs += SILENCE_MS - 1;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toEqual(idle);
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toEqual([...idle, ...idle]);
});

it('a silent build whose workflow runs is told again of its cancellation, once in that time', async () => {
  const [lost, stopping, heard, wanted] = (await dispatchBuilds(4)) as [Build, Build, Build, Build];
  for (const build of [lost, stopping, heard]) {
    await cancelBuild(database.now, build, 'ben');
    await (await build.reload()).markCancellationDelivered();
  }
  await stopping.markStopping();
  await silenceAll();
  await report(database.now, heard, 'STARTED');
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const cancelled: string[] = [];
  const asked: string[] = [];
  const sweeper = createSweeper({
    endedWithoutResult: async () => [],
    status: async () => ({ state: 'running', isIdle: true }),
    async signalCancel(workflowId, requestedBy) {
      cancelled.push(`${workflowId} by ${requestedBy}`);
      return 'delivered';
    },
    async signalAsk(workflowId) {
      asked.push(workflowId);
      return 'delivered';
    },
  });

  await sweeper.sweepWhenDue(signal);
  // One that has begun to stop may have been reset since, and knows it if it has not.
  const told = [lost, stopping].map(({ workflowId }) => `${workflowId} by ben`);
  expect(cancelled).toEqual(told);
  expect(asked).toEqual([wanted.workflowId]);

  nowMs += SILENCE_MS - 1;
  await sweeper.sweepWhenDue(signal);
  expect(cancelled).toEqual(told);
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(cancelled).toEqual([...told, ...told]);
});

it('an idle build that could not be asked after, or told, is told to poll in the next sweep', async () => {
  const builds = await dispatchBuilds(3);
  const [first, second, third] = builds.map(({ workflowId }) => workflowId);
  await silenceAll();
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const away = { name: 'ServiceError', code: 14, details: 'away', metadata: {} };
  const status = jest.fn<ReturnType<TemporalWorkflows['status']>, [string]>(async () => ({
    state: 'running',
    isIdle: true,
  }));
  const told: (string | undefined)[] = [];
  let refusing: string | undefined;
  const sweeper = createSweeper({
    endedWithoutResult: async () => [],
    status,
    async signalAsk(workflowId) {
      if (workflowId === refusing) throw new Error('not now');
      told.push(workflowId);
      return 'delivered';
    },
  });

  status.mockRejectedValueOnce(Object.assign(new Error('14 UNAVAILABLE: away'), away));
  await expect(sweeper.sweepWhenDue(signal)).rejects.toThrow('away');
  expect(told).toEqual([]);
  refusing = second;
  await expect(sweeper.sweepWhenDue(signal)).rejects.toThrow('not now');
  expect(told).toEqual([first, third]);
  refusing = undefined;
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(told).toEqual([first, third, second]);
});

it('a build that falls silent after others were told to poll is told in the next sweep', async () => {
  const [early, late] = (await dispatchBuilds(2)) as [Build, Build];
  await silenceAll();
  await report(database.now, late, 'STARTED');
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const told: string[] = [];
  const sweeper = createSweeper({
    endedWithoutResult: async () => [],
    status: async () => ({ state: 'running', isIdle: true }),
    async signalAsk(workflowId) {
      told.push(workflowId);
      return 'delivered';
    },
  });
  await sweeper.sweepWhenDue(signal);
  expect(told).toEqual([early.workflowId]);

  await silenceAll();
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(told).toEqual([early.workflowId, late.workflowId]);
});

it('idle builds are told to poll as far as a tenth of the wait between sweeps allows, the others later', async () => {
  const builds = await dispatchBuilds(2 * BATCH_SIZE + 1);
  const refusing = builds[1]?.workflowId;
  await silenceAll();
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const asked: string[] = [];
  const sweeper = createSweeper({
    endedWithoutResult: async () => [],
    status: async () => ({ state: 'running', isIdle: true }),
    async signalAsk(workflowId) {
      nowMs += INTERVAL_MS / BATCH_SIZE;
      asked.push(workflowId);
      if (workflowId === refusing) throw new Error('not this one');
      return 'delivered';
    },
  });
  const namesOf = (some: readonly Build[]) => some.map(({ workflowId }) => workflowId);

  await expect(sweeper.sweepWhenDue(signal)).rejects.toThrow('not this one');
  expect(asked).toEqual(namesOf(builds.slice(0, BATCH_SIZE)));
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toEqual(namesOf(builds.slice(0, 2 * BATCH_SIZE)));
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toEqual(namesOf(builds));
});

it('all silent builds are asked after in one sweep, as far as a tenth of the wait between sweeps allows', async () => {
  const builds = await dispatchBuilds(2 * BATCH_SIZE + 1);
  await silenceAll();
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  let answerMs = 0;
  let asked = 0;
  const sweeper = createSweeper({
    endedWithoutResult: async () => [],
    async status() {
      asked += 1;
      nowMs += answerMs;
      return { state: 'running' };
    },
  });
  await sweeper.sweepWhenDue(signal);
  expect(asked).toBe(builds.length);

  nowMs += INTERVAL_MS;
  answerMs = INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toBe(builds.length + BATCH_SIZE);
  await sweeper.sweepWhenDue(signal);
  expect(asked).toBe(builds.length + 2 * BATCH_SIZE);
});

it('a build behind a whole batch of silent ones that run is reached, and the round begins anew after it', async () => {
  const builds = await dispatchBuilds(BATCH_SIZE + 1);
  const lost = builds.at(-1);
  await silenceAll();
  let asked: string[] = [];
  const sweeper = createSweeper(
    {
      endedWithoutResult: async () => [],
      async status(workflowId) {
        asked.push(workflowId);
        return { state: workflowId === lost?.workflowId ? 'unknown' : 'running' };
      },
    },
    { sweepIntervalMs: 0 },
  );
  const askedInSweep = async () => {
    asked = [];
    await sweeper.sweepWhenDue(signal);
    return asked;
  };
  const running = builds.slice(0, BATCH_SIZE).map(({ workflowId }) => workflowId);

  expect(await askedInSweep()).toEqual(running);
  expect(await askedInSweep()).toEqual([lost?.workflowId]);
  await lost?.reload();
  expect(lost).toMatchObject({ failure: { class: 'internal' }, finishedAt: expect.any(Date) });
  expect(await askedInSweep()).toEqual(running);
});

it('a silent build whose result was lost with a restore says so, and that a retry uploads nothing twice', async () => {
  const [lost, terminated] = (await dispatchBuilds(2)) as [Build, Build];
  await silenceAll();
  await createSweeper({
    endedWithoutResult: async () => [],
    status: async (workflowId) => ({
      state: workflowId === lost.workflowId ? 'completed' : 'ended',
    }),
  }).sweepWhenDue(signal);
  expect((await lost.reload()).failure).toMatchObject({
    class: 'internal',
    retryable: true,
    message:
      'its workflow has ended, and the database does not know its result, as after a restore; the PPA may have built all of it',
    hint: 'Retry the build: what the PPA has already is not uploaded again.',
  });
  expect((await terminated.reload()).failure).toMatchObject({
    message: 'its workflow has ended without a result; its uploads may still be built in the PPA',
    hint: expect.stringContaining('fault of Airline'),
  });
});

it('a silent build of which an activity is paused says so until it is unpaused, and is not stuck', async () => {
  const [build] = (await dispatchBuilds(1)) as [Build];
  await report(database.now, build, 'STARTED');
  await silenceAll();
  let paused: { tries: number; message: string } | undefined = {
    tries: 2,
    message: 'uploadSource is paused in Temporal',
  };
  const sweeper = createSweeper(
    {
      endedWithoutResult: async () => [],
      status: async () => ({ state: 'running', isIdle: false, ...(paused ? { paused } : {}) }),
    },
    { sweepIntervalMs: 0 },
  );

  await sweeper.sweepWhenDue(signal);
  const { lastError } = await build.reload();
  expect(lastError).toMatchObject({ step: 'paused', ...paused });
  expect(await database.now.Build.countStuck()).toBe(0);

  paused = undefined;
  await sweeper.sweepWhenDue(signal);
  expect((await build.reload()).lastError).toBeNull();
});
