import pino from 'pino';
import { BATCH_SIZE } from '../../dispatch/dispatch-context.ts';
import { Sweeper } from '../../dispatch/sweeper.ts';
import type { TemporalWorkflows } from '../../dispatch/temporal-workflows.ts';
import type { Build } from '../../models/builds/build.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, dispatchDue, report } from '../support/rows.ts';
import { joinWatch } from '../support/watched-build.ts';

const database = useDatabase();
const { signal } = new AbortController();
const INTERVAL_MS = 60_000;
const SILENCE_MS = 24 * 3_600_000;

afterEach(async () => {
  jest.restoreAllMocks();
  await database.now.sequelize.query('TRUNCATE build CASCADE');
});

function createSweeper(workflows: Partial<TemporalWorkflows>, sweepIntervalMs = INTERVAL_MS) {
  return new Sweeper(
    {
      database: database.now,
      workflows: workflows as TemporalWorkflows,
      logger: pino({ level: 'silent' }),
    },
    { sweepIntervalMs, silenceMs: SILENCE_MS, unwatchedMs: INTERVAL_MS, ppaWatch: true },
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

it('a silent build that no watch knows polls its PPA by itself, once in the time of silence', async () => {
  const [waiting, watched, retried, queued, recent] = (await dispatchBuilds(5)) as [
    Build,
    Build,
    Build,
    Build,
    Build,
  ];
  for (const build of [waiting, watched, retried, recent])
    await report(database.now, build, 'STARTED');
  for (const build of [watched, retried]) await joinWatch(database.now, build);
  await database.now.sequelize.query(
    'UPDATE build SET attempt = attempt + (id = :retried)::integer, updated_at = :longAgo WHERE id <> :recent',
    {
      replacements: {
        retried: retried.id,
        recent: recent.id,
        longAgo: new Date(Date.now() - 2 * SILENCE_MS),
      },
    },
  );
  expect(await queued.reload()).toMatchObject({ phase: 'queued' });
  await retried.reload();
  const asked: string[] = [];
  const workflows: Partial<TemporalWorkflows> = {
    endedWithoutResult: async () => [],
    status: async () => ({ state: 'running' }),
    async signalAsk(workflowId) {
      asked.push(workflowId);
      return 'delivered';
    },
  };
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const sweeper = createSweeper(workflows);
  await sweeper.sweepWhenDue(signal);
  expect(asked).toEqual([waiting.workflowId, retried.workflowId]);
  nowMs += SILENCE_MS - 1;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toHaveLength(2);
  nowMs += INTERVAL_MS;
  await sweeper.sweepWhenDue(signal);
  expect(asked).toHaveLength(4);
});

it('all silent builds are asked after in one sweep, as far as a tenth of the wait between sweeps allows', async () => {
  const builds = await dispatchBuilds(2 * BATCH_SIZE + 1);
  await database.now.sequelize.query('UPDATE build SET updated_at = :longAgo', {
    replacements: { longAgo: new Date(Date.now() - 2 * SILENCE_MS) },
  });
  let nowMs = INTERVAL_MS;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  let answerMs = 0;
  let asked = 0;
  const sweeper = createSweeper(
    {
      endedWithoutResult: async () => [],
      async status() {
        asked += 1;
        nowMs += answerMs;
        return { state: 'running' };
      },
    },
    INTERVAL_MS,
  );
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
  await database.now.sequelize.query('UPDATE build SET updated_at = :longAgo', {
    replacements: { longAgo: new Date(Date.now() - 2 * SILENCE_MS) },
  });
  let asked: string[] = [];
  const sweeper = createSweeper(
    {
      endedWithoutResult: async () => [],
      async status(workflowId) {
        asked.push(workflowId);
        return { state: workflowId === lost?.workflowId ? 'unknown' : 'running' };
      },
    },
    0,
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
