import pino from 'pino';
import { Sweeper } from '../../dispatch/sweeper.ts';
import type { TemporalWorkflows } from '../../dispatch/temporal-workflows.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild } from '../support/rows.ts';

const database = useDatabase();
const { signal } = new AbortController();
const INTERVAL_MS = 60_000;

afterEach(() => jest.restoreAllMocks());

/** A sweeper with a build to look for, and how often Temporal was asked. */
async function createSweeper() {
  await addBuild(database.now);
  await database.now.Build.dispatchOldest(1, async () => {});
  const endedWithoutResult = jest.fn(() => Promise.resolve([]));
  const workflows: Partial<TemporalWorkflows> = { endedWithoutResult };
  const sweeper = new Sweeper(
    {
      database: database.now,
      workflows: workflows as TemporalWorkflows,
      logger: pino({ level: 'silent' }),
    },
    { sweepIntervalMs: INTERVAL_MS, silenceMs: 24 * 3_600_000, unwatchedMs: INTERVAL_MS },
  );
  return { sweeper, asked: () => endedWithoutResult.mock.calls.length };
}

it('the search for lost workflows comes after its interval, though the clock is set back meanwhile', async () => {
  const { sweeper, asked } = await createSweeper();
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
