import type { Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { activityInterceptor } from '../../../activities/temporal/activity-interceptor.ts';
import { AirlineError } from '../../../domain/errors.ts';
import type { Build } from '../../../models/builds/build.ts';
import { PpaUnavailableError } from '../../../ppa/web-service.ts';
import { addBuild } from '../../support/rows.ts';
import { useDatabase } from '../../models/use-database.ts';
import { keepLog, runActivity } from '../activity.ts';

const database = useDatabase();
const { logger, lines } = keepLog();

/** Runs an activity behind the interceptor. */
const intercepted = <I, R>(
  activity: (input: I) => Promise<R>,
  input: I,
  info: Partial<Info> = {},
) =>
  runActivity(activity, input, {
    info: { activityType: 'watchBuilds', ...info },
    interceptors: [activityInterceptor({ database: database.now, logger })],
  });

describe('what an activity throws', () => {
  const thrown = (what: unknown, info: Partial<Info> = {}): Promise<unknown> =>
    intercepted(
      async (): Promise<void> => {
        throw what;
      },
      undefined,
      { workflowExecution: { workflowId: 'another', runId: 'r' }, ...info },
    ).catch((reason: unknown) => reason);

  it('is thrown, and a result is let through', async () => {
    expect(await intercepted(async (input: number) => input * 2, 21)).toBe(42);
  });

  it('becomes a failure that is not retried, with its code as type, where it is of the catalogue', async () => {
    const failure = await thrown(
      new AirlineError('checksum_mismatch', 'hello.dsc is another file'),
    );
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'checksum_mismatch',
      message: 'hello.dsc is another file',
      nonRetryable: true,
    });
  });

  it('gives a PPA the pause that it asks for', async () => {
    const anHour = { scheduledTimestampMs: Date.now(), scheduleToCloseTimeoutMs: 3_600_000 };
    const failure = await thrown(new PpaUnavailableError('503', { retryAfterMs: 7_000 }), anHour);
    expect(failure).toMatchObject({ nonRetryable: false, nextRetryDelay: 7_000 });
  });

  it('leaves time for one more try before the deadline of the activity', async () => {
    const error = new PpaUnavailableError('503', { retryAfterMs: 120_000 });
    const inAMinute = { scheduledTimestampMs: Date.now(), scheduleToCloseTimeoutMs: 60_000 };
    const { nextRetryDelay } = (await thrown(error, inAMinute)) as ApplicationFailure;
    expect(nextRetryDelay).toBeGreaterThan(20_000);
    expect(nextRetryDelay).toBeLessThanOrEqual(30_000);
  });

  it.each([
    new Error('ECONNRESET'),
    new PpaUnavailableError('502'),
    new CancelledFailure('cancelled'),
  ])('stays as it is: %s', async (error) => {
    expect(await thrown(error)).toBe(error);
  });
});

describe('the last error of a build', () => {
  type Input = { buildId?: number };
  const lastErrorOf = async (build: Build) => (await build.reload()).lastError;
  const run = async (build: Build, attempt: number, error?: Error, input?: Input) => {
    await intercepted(
      async () => {
        if (error) throw error;
      },
      input ?? { buildId: build.id },
      { attempt, workflowExecution: { workflowId: 'another', runId: 'r' } },
    ).catch((reason: unknown) => {
      if (reason !== error) throw reason;
    });
  };

  it('is on its row as soon as a step fails, since the first failure, until the step succeeds', async () => {
    const build = await addBuild(database.now);
    await run(build, 1, new Error('the PPA answers 503'));
    const first = await lastErrorOf(build);
    expect(first).toMatchObject({ step: 'watchBuilds', message: 'the PPA answers 503', tries: 1 });
    await run(build, 2, new Error('still 503'));
    expect(await lastErrorOf(build)).toEqual({ ...first, message: 'still 503', tries: 2 });
    await run(build, 3);
    expect(await lastErrorOf(build)).toBeNull();
  });

  it('is found by the workflow where the input of an older one names no build', async () => {
    const build = await addBuild(database.now);
    const act = async (): Promise<void> => {
      throw new Error('503');
    };
    const info = { workflowExecution: { workflowId: build.workflowId, runId: 'r' } };
    await expect(intercepted(act, {}, info)).rejects.toThrow('503');
    expect(await lastErrorOf(build)).toMatchObject({ message: '503' });
  });

  it('is not noted where the step is not tried again: the verdict says it', async () => {
    const build = await addBuild(database.now);
    await run(build, 1, ApplicationFailure.nonRetryable('unsigned', 'unsigned_source'));
    expect(await lastErrorOf(build)).toBeNull();
  });

  it('changes nothing else where it cannot be noted', async () => {
    const build = await addBuild(database.now);
    const table = (from: string, to: string) =>
      database.now.sequelize.query(`ALTER TABLE build RENAME COLUMN ${from} TO ${to}`);
    await table('trouble', 'sorrow');
    try {
      await run(build, 1, new Error('503'));
    } finally {
      await table('sorrow', 'trouble');
    }
    expect(lines).toContainEqual(expect.objectContaining({ buildId: build.id }));
  });
});
