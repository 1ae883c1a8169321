import { CancelledFailure } from '@temporalio/activity';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { unlessEnded } from '../../activities/unless-ended.ts';
import { ATTEMPT_ENDED } from '../../domain/builds/build-workflow.ts';
import type { Build } from '../../models/builds/build.ts';
import { useDatabase } from '../models/use-database.ts';
import { addBuild, addLanding, failLanding, report, retryBuild } from '../support/rows.ts';
import { keepLog, runActivity } from './activity.ts';

const database = useDatabase();
const REFUSAL = { type: ATTEMPT_ENDED, nonRetryable: true };

type Input = { buildId?: number; landingId?: number; attempt?: number; attemptKey?: string };

/** The attempt for which an activity has worked. */
const work = (of: Input, deps = { database: database.now, logger: keepLog().logger }) =>
  runActivity(
    unlessEnded(deps)(async ({ attempt }: Input) => attempt),
    of,
  );
const named = ({ id, attempt, attemptKey }: Build) => ({
  buildId: id,
  attempt,
  ...(attemptKey === null ? {} : { attemptKey }),
});

it('a step works for the attempt of a build that is under way, and for none that has ended', async () => {
  const build = await addBuild(database.now);
  const first = named(build);
  expect(await work(first)).toBe(1);
  expect(await work({ buildId: build.id, attempt: 1 })).toBe(1);
  await report(database.now, build, 'FAILURE');
  await expect(work(first)).rejects.toMatchObject(REFUSAL);

  await retryBuild(database.now, build);
  await expect(work(first)).rejects.toMatchObject(REFUSAL);
  expect(await work(named(await build.reload()))).toBe(2);
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

describe('where the database does not say whether an attempt has ended', () => {
  const isUnderWay = async (): Promise<boolean> => {
    throw new Error('connect ECONNREFUSED');
  };
  const deaf = { Build: { isUnderWay }, Landing: { isUnderWay } };
  const of = { buildId: 7, attempt: 1 };

  it('a step that changes something is not done', async () => {
    const { logger } = keepLog();
    const upload = unlessEnded({ database: deaf, logger })(async () => 'uploaded');
    await expect(runActivity(upload, of)).rejects.toThrow('ECONNREFUSED');
  });

  it('a step that needs no database is done, and the log says so', async () => {
    const { logger, lines } = keepLog();
    const check = unlessEnded({ database: deaf, logger })(async () => 'checked', {
      isDoneUnasked: true,
    });
    expect(await runActivity(check, of)).toBe('checked');
    expect(lines).toMatchObject([
      { ...of, msg: expect.stringContaining('without knowing whether its attempt has ended') },
    ]);
  });

  it('a step that is cancelled meanwhile is not done', async () => {
    const { logger } = keepLog();
    const check = unlessEnded({ database: deaf, logger })(async () => 'checked', {
      isDoneUnasked: true,
    });
    const prepare = (environment: MockActivityEnvironment) => environment.cancel();
    await expect(runActivity(check, of, { prepare })).rejects.toThrow(CancelledFailure);
  });
});

it('a step heartbeats while it asks, and what the try before has told is not lost', async () => {
  let answer = (_isUnderWay: boolean): void => undefined;
  const slow = { isUnderWay: () => new Promise<boolean>((resolve) => (answer = resolve)) };
  const told = { phase: 'committing' };
  const heartbeats: unknown[] = [];
  const upload = unlessEnded({
    database: { Build: slow, Landing: slow },
    logger: keepLog().logger,
  })(async () => 'uploaded');
  const uploaded = runActivity(
    upload,
    { buildId: 7, attempt: 1 },
    {
      info: { heartbeatDetails: told },
      onHeartbeat: (details) => {
        heartbeats.push(details);
        answer(true);
      },
    },
  );
  expect(await uploaded).toBe('uploaded');
  expect(heartbeats).toContainEqual(told);
});
