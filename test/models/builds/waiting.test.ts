import { failureOf } from '../../../domain/builds/failure.ts';
import type { ProgressReport, WorkerMessage } from '../../../domain/builds/progress.ts';
import { waitLimitsOf } from '../../../domain/builds/waiting.ts';
import type { Build } from '../../../models/builds/build.ts';
import { openDatabase, type Database } from '../../../models/database.ts';
import { repeatEvents } from '../../../models/events/repeat-events.ts';
import {
  countAhead,
  createUsualStays,
  readUsualStay,
} from '../../../models/builds/wait-figures.ts';
import { readWaitingBuilds } from '../../../models/builds/waiting-builds.ts';
import { BUILD_LIMITS } from '../../support/build-limits.ts';
import {
  addBuild,
  architectureBuild,
  dispatchDue,
  report,
  retryBuild,
} from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../use-database.ts';

const started = useDatabase(1);
let database: Database;
beforeAll(() => {
  database = openDatabase(started.url, 10, { waitLimits: waitLimitsOf(BUILD_LIMITS, 60_000) });
});
afterAll(() => database.close());

const eventsOf = (build: Build) => database.ProgressEvent.findAfter(build.id, 0, 100);
const laterBy = (time: Date, ms: number) => new Date(time.getTime() + ms).toISOString();
const blocked = [architectureBuild({ buildstate: 'Dependency wait', dependencies: 'libabsent' })];
/** Told as if each report came so many milliseconds after the one before. */
async function tellIn(build: Build, gapsMs: readonly number[]): Promise<void> {
  const sinceMs = Date.now();
  const events = await database.ProgressEvent.findAll({
    where: { buildId: build.id },
    order: ['seq'],
  });
  let atMs = sinceMs;
  for (const [at, event] of events.entries()) {
    atMs += gapsMs[at] ?? 0;
    await event.update({ body: { ...event.body, phase_since: new Date(atMs).toISOString() } });
  }
}

describe('what the row of a build and its messages say that it waits for', () => {
  it('from the acceptance to the end, each time with its deadline', async () => {
    const build = await addBuild(database);
    await dispatchDue(database, 100, async () => {});
    const { dispatchedAt } = await build.reload();
    expect(build.waiting).toEqual({
      for: 'worker',
      since: build.phaseSince.toISOString(),
      usually_ms: null,
      gives_up_at: laterBy(dispatchedAt as Date, waitLimitsOf(BUILD_LIMITS, 0).executionMs),
      ahead: 0,
    });
    const reports: [WorkerMessage, Partial<ProgressReport>][] = [
      ['STARTED', {}],
      ['STARTED', { key: 'uploading', phase: 'uploading' }],
      ['STARTED', { key: 'accepting', phase: 'accepting' }],
      ['INPROGRESS', { builds: [architectureBuild({ buildstate: 'Needs building' })] }],
      ['INPROGRESS', { key: 'look-2', builds: blocked }],
      ['FAILURE', { failure: failureOf('dependency_wait', 'it waits') }],
    ];
    for (const [message, more] of reports) await report(database, build, message, more);
    const events = await eventsOf(build);
    expect(events.map(({ waiting }) => waiting?.for)).toEqual([
      'temporal',
      undefined,
      undefined,
      'ppa',
      'builder',
      'dependency',
      undefined,
    ]);
    expect(events[0]?.waiting?.gives_up_at).toBe(laterBy(build.requestedAt, 60_000));
    expect((await build.reload()).waiting).toBeNull();
  });

  it('a Dependency wait counts once nothing else is under way, and anew in each attempt', async () => {
    const build = await addBuild(database);
    const waitLimits = { ...waitLimitsOf(BUILD_LIMITS, 60_000), dependencyWaitMs: 60_000 };
    await build.update({ waitLimits });
    await report(database, build, 'STARTED');
    const other = (buildstate: string) =>
      architectureBuild({ architecture: 'riscv64', buildstate });
    const look = async (builds: ReturnType<typeof architectureBuild>[]) => {
      await report(database, build, 'INPROGRESS', { key: `look-${build.lastSeq}`, builds });
      return (await build.reload()).waiting;
    };
    expect(await look([...blocked, other('Currently building')])).toBeNull();
    expect(build.dependencyWaitSince).toBeNull();

    const both = await look([...blocked, other('Dependency wait')]);
    const { phaseSince } = build;
    expect(both).toMatchObject({
      since: phaseSince.toISOString(),
      gives_up_at: laterBy(phaseSince, 60_000),
    });
    await until('a later time', () => Date.now() > phaseSince.getTime());
    const one = await look([...blocked, other('Successfully built')]);
    expect(build.phaseSince).toEqual(phaseSince);
    expect(one).toMatchObject({
      since: build.reportedAt.toISOString(),
      gives_up_at: laterBy(build.reportedAt, 60_000),
    });
    await repeatEvents(database, { heardBefore: new Date(Date.now() + 1_000), limit: 10 });
    expect((await build.reload()).waiting?.since).toBe(one?.since);

    await report(database, build, 'FAILURE');
    await retryBuild(database, build);
    expect(await build.reload()).toMatchObject({ dependencyWaitSince: null, takenAt: null });
    expect(build.waiting?.for).toBe('temporal');
    await report(database, build, 'FAILURE', { attempt: 2, key: 'end' });
  });

  it('is not what an earlier attempt waited for, until the PPA shows that again', async () => {
    const build = await addBuild(database);
    const tell = (message: WorkerMessage, more: Partial<ProgressReport> = {}) =>
      report(database, build, message, { attempt: build.attempt, ...more });
    const isListed = async () =>
      (await readWaitingBuilds(database.sequelize, 100)).builds.some(({ id }) => id === build.id);
    const builds = [...blocked, architectureBuild({ buildstate: 'Currently building' })];
    await tell('INPROGRESS', { builds });
    expect(await isListed()).toBe(true);
    await tell('FAILURE');
    await retryBuild(database, build);
    await build.reload();
    await tell('STARTED', { key: 'uploading', phase: 'uploading' });
    expect(await isListed()).toBe(false);
    await tell('INPROGRESS', { builds });
    expect(await isListed()).toBe(true);
    await tell('FAILURE');
  });

  it('how many requests are before it, counted anew each time it is told', async () => {
    const first = await addBuild(database);
    await until('a later time', () => Date.now() > first.requestedAt.getTime());
    const second = await addBuild(database);
    expect(second.waiting?.ahead).toBe(1);
    await report(database, first, 'STARTED');
    await repeatEvents(database, { heardBefore: new Date(Date.now() + 1_000), limit: 10 });
    expect((await eventsOf(second)).map(({ waiting }) => waiting?.ahead)).toEqual([1, 0]);
    expect(await countAhead(database.sequelize, new Date(0))).toBe(0);
    for (const build of [first, second]) await report(database, build, 'COMPLETE');
  });

  it('for those that were requested before its retry, which are started first', async () => {
    const retried = await addBuild(database);
    await report(database, retried, 'FAILURE');
    const waiting = await addBuild(database);
    await until('a later time', () => Date.now() > waiting.requestedAt.getTime());
    await retryBuild(database, retried);
    expect((await retried.reload()).waiting?.ahead).toBe(1);
    const order: number[] = [];
    await dispatchDue(database, 2, async ({ id }) => {
      order.push(id);
    });
    expect(order).toEqual([waiting.id, retried.id]);
    await report(database, waiting, 'COMPLETE');
    await report(database, retried, 'COMPLETE', { attempt: 2, key: 'end' });
  });
});

describe('how long a phase usually takes', () => {
  const series = 'trixie';
  /** A build that came through the queue after so long. */
  async function taken(afterMs: number, end: 'COMPLETE' | 'FAILURE' = 'COMPLETE'): Promise<void> {
    const build = await addBuild(database, { series });
    if (end === 'COMPLETE') await report(database, build, 'STARTED');
    await report(database, build, end);
    await tellIn(build, [0, afterMs]);
  }
  const usualStay = () => readUsualStay(database.sequelize, { series, phase: 'queued' });

  it('is the median of the builds for the series that went on, and told once for a phase', async () => {
    expect(await usualStay()).toBeNull();
    for (const afterMs of [1_000, 5_000, 60_000]) await taken(afterMs);
    await taken(90_000, 'FAILURE');
    expect(await usualStay()).toBe(5_000);

    // Another process, which has not asked before.
    const other = openDatabase(started.url, 2);
    const build = await addBuild(other, { series });
    await other.close();
    expect(build.waiting?.usually_ms).toBe(5_000);
    for (const afterMs of [1_000, 1_000, 1_000]) await taken(afterMs);
    await repeatEvents(database, { heardBefore: new Date(Date.now() + 1_000), limit: 10 });
    expect((await eventsOf(build)).at(-1)?.waiting?.usually_ms).toBe(5_000);
    expect((await addBuild(database, { series: 'forky' })).waiting?.usually_ms).toBeNull();
  });

  it('is read once a minute, once there is something to tell', async () => {
    let nowMs = 1;
    const usualStays = createUsualStays(database.sequelize, { now: () => nowMs });
    const query = jest.spyOn(database.sequelize, 'query');
    const readsOf = async (of: string) => {
      query.mockClear();
      await database.sequelize.transaction((transaction) =>
        usualStays({ series: of, phase: 'queued' }, transaction),
      );
      return query.mock.calls.filter(([sql]) => /percentile_cont/.test(sql as string)).length;
    };
    await taken(1_000);
    expect([await readsOf(series), await readsOf('sid')]).toEqual([1, 1]);
    nowMs = 60_001;
    expect([await readsOf(series), await readsOf('sid')]).toEqual([0, 1]);
    nowMs = 60_002;
    expect(await readsOf(series)).toBe(1);
    query.mockRestore();
  });
});

describe('how far an upload is', () => {
  const upload = { package: 'hello 2.10-3', sent_bytes: 5, total_bytes: 40 };

  it('is in the messages while the attempt uploads, and in no other', async () => {
    const build = await addBuild(database);
    const keep = (attempt: number) =>
      database.Build.recordUpload({ buildId: build.id, attempt }, upload);
    await keep(1);
    await report(database, build, 'STARTED');
    await report(database, build, 'STARTED', { key: 'uploading', phase: 'uploading' });
    await keep(2);
    await repeatEvents(database, { heardBefore: new Date(Date.now() + 1_000), limit: 100 });
    await keep(1);
    await repeatEvents(database, { heardBefore: new Date(Date.now() + 1_000), limit: 100 });
    await report(database, build, 'STARTED', { key: 'accepting', phase: 'accepting' });
    await keep(1);
    const told = (await eventsOf(build)).map((event) => event.upload);
    expect(told).toEqual([undefined, undefined, undefined, undefined, upload, undefined]);
    expect((await build.reload()).upload).toBeNull();
  });
});
