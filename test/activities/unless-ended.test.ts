import { unlessEnded } from '../../activities/unless-ended.ts';
import { ATTEMPT_ENDED } from '../../domain/builds/build-workflow.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, addLanding, failLanding, report, retryBuild } from '../support/rows.ts';

const database = useDatabase();
const REFUSAL = { type: ATTEMPT_ENDED, nonRetryable: true };

/** An activity that says for which attempt it has worked. */
const work = (of: Parameters<ReturnType<typeof activity>>[0]) => activity()(of);
const activity = () =>
  unlessEnded({ database: database.now })(async ({ attempt }: { attempt?: number }) => attempt);

it('a step works for the attempt of a build that is under way, and for none that has ended', async () => {
  const build = await addBuild(database.now);
  const first = { buildId: build.id, attempt: 1, attemptKey: build.attemptKey ?? undefined };
  expect(await work(first)).toBe(1);
  expect(await work({ ...first, attemptKey: undefined })).toBe(1);
  await report(database.now, build, 'FAILURE');
  await expect(work(first)).rejects.toMatchObject(REFUSAL);

  await retryBuild(database.now, build);
  await expect(work(first)).rejects.toMatchObject(REFUSAL);
  await build.reload();
  const second = { buildId: build.id, attempt: 2, attemptKey: build.attemptKey ?? undefined };
  expect(await work(second)).toBe(2);
});

it('a step works for no build that had the id before the database was set back', async () => {
  const build = await addBuild(database.now);
  const attemptKey = '00000000-0000-4000-8000-000000000000';
  await expect(work({ buildId: build.id, attempt: 1, attemptKey })).rejects.toMatchObject(REFUSAL);
  await expect(work({ buildId: 2_000_000_000, attempt: 1 })).rejects.toMatchObject(REFUSAL);
});

it('a step works for the attempt of a landing that is under way, and for none that has ended', async () => {
  const landing = await addLanding(database.now);
  const { landingId, attempt } = landing.toInput();
  expect(await work({ landingId, attempt })).toBe(1);
  await failLanding(database.now, landing);
  await expect(work({ landingId, attempt })).rejects.toMatchObject(REFUSAL);
});

it('a step works where an older workflow names no attempt', async () => {
  const build = await addBuild(database.now);
  await report(database.now, build, 'FAILURE');
  expect(await work({ buildId: build.id })).toBeUndefined();
  expect(await work({})).toBeUndefined();
});
