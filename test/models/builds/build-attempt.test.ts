import type { Build } from '../../../models/builds/build.ts';
import type { AirlineError } from '../../../domain/errors.ts';
import { failureOf } from '../../../domain/builds/failure.ts';
import {
  addBuild,
  architectureBuild,
  cancelBuild,
  dispatchDue,
  report,
  retryBuild,
} from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const BUILT = [architectureBuild({ buildstate: 'Failed to build' })];
const failedBuild = async () => {
  const build = await addBuild(database.now);
  await report(database.now, build, 'STARTED');
  await report(database.now, build, 'FAILURE', {
    builds: BUILT,
    logs: ['http://store/log'],
    failure: failureOf('build_failed', 'it does not compile'),
  });
  return build;
};
const retry = (build: Build) => retryBuild(database.now, build);
const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => 'none',
    (error: unknown) => (error as AirlineError).code,
  );

describe('retrying a build', () => {
  it('keeps the attempt that ended and starts the row over', async () => {
    const build = await failedBuild();
    const retried = await retry(build);
    expect(retried).toMatchObject({
      attempt: 2,
      state: 'queued',
      phase: 'queued',
      requestedBy: 'ana',
      failure: null,
      logs: [],
      finishedAt: null,
      dispatchedAt: null,
      workflowId: `build-${build.id}-ticket-${build.ticketId}-hello-attempt-2`,
      packagesToRetry: [{ source: 'hello', version: '2.10-3' }],
    });
    expect(await database.now.BuildAttempt.listBefore(build.id, 2)).toMatchObject([
      {
        attempt: 1,
        state: 'failed',
        failure: { class: 'build_failed' },
        logs: ['http://store/log'],
        architectureBuilds: BUILT,
        lastSeq: 3,
      },
    ]);
  });

  it('goes on counting events, and ends once more', async () => {
    const build = await failedBuild();
    await retry(build);
    await report(database.now, build, 'STARTED', { attempt: 2 });
    await report(database.now, build, 'COMPLETE', { attempt: 2 });
    const events = await database.now.ProgressEvent.findAfter(build.id, 0, 10);
    expect(events.map(({ seq, attempt, message }) => [seq, attempt, message])).toEqual([
      [1, 1, null],
      [2, 1, 'STARTED'],
      [3, 1, 'FAILURE'],
      [4, 2, null],
      [5, 2, 'STARTED'],
      [6, 2, 'COMPLETE'],
    ]);
  });

  it('hears no more of the attempt before', async () => {
    const build = await failedBuild();
    await retry(build);
    expect(await report(database.now, build, 'INPROGRESS')).toBeNull();
    expect(await database.now.ProgressEvent.findAfter(build.id, 4, 10)).toEqual([]);
  });

  it('is refused while an attempt is under way, after success, and beyond the limit', async () => {
    const build = await failedBuild();
    await retry(build);
    expect(await codeOf(retry(build))).toBe('conflict');
    await report(database.now, build, 'FAILURE', { attempt: 2 });
    await retry(build);
    await report(database.now, build, 'FAILURE', { attempt: 3 });
    expect(await codeOf(retry(build))).toBe('conflict');
    const done = await addBuild(database.now);
    await report(database.now, done, 'COMPLETE');
    expect(await codeOf(retry(done))).toBe('conflict');
    expect(await retryBuild(database.now, { id: 999_999 })).toBeNull();
  });

  it('happens once, however many ask at once', async () => {
    const build = await failedBuild();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => codeOf(retry(build))));
    expect(outcomes.toSorted()).toEqual([...Array<string>(7).fill('conflict'), 'none']);
    expect((await build.reload()).attempt).toBe(2);
  });
});

describe('the mark of a delivered cancellation', () => {
  const cancelled = async () => {
    const build = await addBuild(database.now);
    await dispatchDue(database.now, 100, async () => {});
    await cancelBuild(database.now, build);
    return build;
  };
  const undelivered = async () =>
    (await database.now.Build.undeliveredCancellations(100)).map(({ id }) => id);

  it('is of the attempt that was told', async () => {
    const build = await cancelled();
    expect(await undelivered()).toContain(build.id);
    await build.markCancellationDelivered();
    expect(await undelivered()).not.toContain(build.id);
  });

  it.each([
    ['before the cancellation of the next', false],
    ['after it', true],
  ])('is dropped where it comes late, %s', async (_when, isRequested) => {
    const build = await cancelled();
    const [asRead] = (await database.now.Build.undeliveredCancellations(100)).filter(
      ({ id }) => id === build.id,
    );
    await report(database.now, build, 'FAILURE');
    await retry(build);
    await dispatchDue(database.now, 100, async () => {});
    const request = () => cancelBuild(database.now, build, 'ben');
    if (isRequested) await request();
    await asRead?.markCancellationDelivered();
    if (!isRequested) await request();
    expect(await undelivered()).toContain(build.id);
  });

  it('is taken back by a cancellation that comes after it', async () => {
    const build = await addBuild(database.now);
    await dispatchDue(database.now, 100, async () => {});
    await database.now.Build.update({ cancelDeliveredAt: new Date() }, { where: { id: build.id } });
    await cancelBuild(database.now, build);
    expect(await undelivered()).toContain(build.id);
  });
});
