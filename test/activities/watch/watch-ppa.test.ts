import { randomUUID } from 'node:crypto';
import { Op } from 'sequelize';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { openSharedBudget } from '../../../activities/ppa/shared-budget.ts';
import { watchBuilds } from '../../../activities/watch-builds.ts';
import { joinWatch } from '../../../activities/watch/join-watch.ts';
import { watchPpa } from '../../../activities/watch/watch-ppa.ts';
import type { PpaNews, WatchLimits } from '../../../domain/builds/ppa-watch.ts';
import { openDatabase, type Database } from '../../../models/database.ts';
import type { CallBudget } from '../../../ppa/call-budget.ts';
import { createPpaClient } from '../../../ppa/client.ts';
import { createTestDatabase } from '../../support/database.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { addBuild, report } from '../../support/rows.ts';
import type { SourcePackage } from '../../support/source-package.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';
import { TEST_SOURCES } from '../../support/test-sources.ts';
import { keepLog, runActivity, type LogLine } from '../activity.ts';
import { startFileServer, type FileServer } from '../file-server.ts';

const LONG_MS = 3_600_000;
const REFERENCE = '~me/debian/test';
const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
const LIMITS = { pollInitialMs: 10, pollFactor: 2, pollMaxMs: 20, historyMaxEvents: 100 };

let standIn: OwnStandIn;
let server: FileServer;
let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let lines: LogLine[];
let told: { workflowId: string; news: PpaNews }[];
let cancelled: string[];
let joined: WatchLimits[];
let calls: number;
/** What the calls of Launchpad take their turns from. */
let budget: Pick<CallBudget, 'take'> | undefined;
/** Fails what the workflows are told, as where Temporal is away. */
let isTemporalAway: boolean;
let deps: ActivityDependencies;

beforeAll(async () => {
  [standIn, testDatabase] = await Promise.all([
    openStandIn({ architectures: ['amd64', 'riscv64'], builders: 200 }),
    createTestDatabase(),
  ]);
  database = openDatabase(testDatabase.url, 10);
});
afterAll(async () => {
  await standIn.close();
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  standIn.play({});
  server = await startFileServer();
  await database.WatchedBuild.destroy({ where: {} });
  await database.PpaWatch.destroy({ where: {} });
  told = [];
  cancelled = [];
  joined = [];
  calls = 0;
  budget = undefined;
  isTemporalAway = false;
  const log = keepLog();
  lines = log.lines;
  const assertTemporal = () => {
    if (isTemporalAway) throw new Error('Temporal is away');
  };
  const used: Pick<
    ActivityDependencies,
    'ppaClient' | 'database' | 'watches' | 'sources' | 'cancelUrlTimeoutMs' | 'logger'
  > = {
    database,
    logger: log.logger,
    cancelUrlTimeoutMs: 60_000,
    watches: {
      async join(_ppa, limits) {
        joined.push(limits);
      },
      async tell(workflowId, news) {
        assertTemporal();
        told.push({ workflowId, news });
        return workflowId.startsWith('ended') ? 'ended' : 'delivered';
      },
      async cancel(workflowId) {
        cancelled.push(workflowId);
        return 'delivered';
      },
    },
    ppaClient: createPpaClient({
      rootUrl: standIn.webUrl,
      credentials: { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' },
      timeoutMs: 60_000,
      budget: {
        take: async () => {
          await budget?.take();
          calls += 1;
        },
        answered: async () => undefined,
        failed: async () => undefined,
      },
      logger: log.logger,
    }),
    sources: { ...TEST_SOURCES },
  };
  deps = used as ActivityDependencies;
});
afterEach(() => server.stop());

let sources = 0;
const make = () => standIn.make({ name: `watched-${++sources}`, architecture: 'any' });
const upload = ({ files }: SourcePackage) => standIn.upload(files, '~me/debian/test/bookworm');
const round = () => runActivity(watchPpa(deps), { ppa: PPA });
const play = (...states: string[]) =>
  standIn.play({
    sources: {
      '*': { builds: { '*': states.map((state) => ({ state })) as [{ state: string }] } },
    },
  });

type Joining = Parameters<ReturnType<typeof joinWatch>>[0];

/** A build of some packages that waits in the PPA. */
async function join(
  packages: readonly { name: string; version: string }[],
  more: Partial<Pick<Joining, 'cancelUrl' | 'atMs' | 'uploadedAtMs' | 'limits'>> & {
    request?: Partial<Joining['request']>;
    workflowId?: string;
  } = {},
) {
  const { id: buildId } = await addBuild(database);
  const workflowId = more.workflowId ?? `build-${buildId}`;
  const input: Joining = {
    buildId,
    attempt: 1,
    cancelUrl: more.cancelUrl ?? null,
    atMs: more.atMs ?? Date.now(),
    uploadedAtMs: more.uploadedAtMs ?? Date.now(),
    known: { accepted: false, records: [], dependencyWaitSinceMs: null },
    limits: more.limits ?? LIMITS,
    request: {
      ppa: PPA,
      series: 'bookworm',
      packages: packages.map(({ name, version }) => ({ source: name, version })),
      awaitPublication: false,
      hasLater: false,
      knowsFailure: false,
      acceptanceMs: LONG_MS,
      dependencyWaitMs: LONG_MS,
      ...more.request,
    },
  };
  const info = { workflowExecution: { workflowId, runId: randomUUID() }, taskQueue: 'test' };
  await runActivity(joinWatch(deps), input, { info });
  return { buildId, workflowId, input, info };
}

/** A poll of a build by itself. */
const poll = (buildId: number, reportKey: string) =>
  runActivity(watchBuilds(deps), {
    buildId,
    ppa: PPA,
    packages: [],
    previous: [],
    reportKey,
    cancelUrl: null,
  });
/** Those after the acceptance of the request. */
const eventsOf = (buildId: number) => database.ProgressEvent.findAfter(buildId, 1, 100);
const newsOf = (workflowId: string) =>
  told.filter((one) => one.workflowId === workflowId).map(({ news }) => news);
const watched = async () =>
  (await database.WatchedBuild.findAll({ order: ['buildId'] })).map(({ buildId }) => buildId);
const isDecided = (workflowId: string) => () =>
  newsOf(workflowId).some((news) => !news.ask && news.isDecided);
const buildForLong = () =>
  standIn.play({
    sources: { '*': { builds: { '*': [{ state: 'Currently building', durationMs: LONG_MS }] } } },
  });
const recordsNow = async () =>
  (await database.WatchedBuild.findAll()).flatMap((row) => row.records);
/** Whether so many packages are built on both architectures. */
const areBuilding = (count: number) => async () => {
  const records = await recordsNow();
  return (
    records.length === 2 * count &&
    records.every(({ buildState }) => buildState === 'Currently building')
  );
};
/** Rounds until something holds. */
const roundsUntil = <T>(what: string, holds: () => Promise<T> | T) =>
  until(what, async () => {
    await round();
    return holds();
  });

describe('a build that joins the watch of its PPA', () => {
  it('lets the history of the watch grow less long than its own', async () => {
    await join([await make()], { limits: { ...LIMITS, historyMaxEvents: 2_000 } });
    expect(joined).toEqual([{ ...LIMITS, historyMaxEvents: 300 }]);
  });
});

describe('a round of the watch of a PPA', () => {
  it('reports the acceptance and each change, and tells the workflow of acceptance and verdict', async () => {
    buildForLong();
    const source = await make();
    const { buildId, workflowId } = await join([source]);
    expect(joined).toEqual([LIMITS]);
    expect(await round()).toEqual({ watched: 1 });
    expect(await eventsOf(buildId)).toEqual([]);

    await upload(source);
    await roundsUntil('both build', areBuilding(1));
    expect(newsOf(workflowId)).toMatchObject([{ phase: 'building', isDecided: false }]);
    for (const { selfLink } of await recordsNow()) await deps.ppaClient.cancel(selfLink);
    await roundsUntil('the verdict', isDecided(workflowId));

    const events = await eventsOf(buildId);
    expect(events.length).toBeGreaterThanOrEqual(2);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 2));
    expect(events.at(-1)?.builds.map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(newsOf(workflowId)).toMatchObject([
      { isDecided: false },
      { packages: 1, isDecided: true, published: true, dependencyWaitIsOver: false },
    ]);
    expect(await watched()).toEqual([]);
    expect(await round()).toEqual({ watched: 0 });
  });

  it('costs no more requests for twenty builds that wait than for one', async () => {
    buildForLong();
    const many = [await make()];
    await join(many);
    await upload(many[0] as SourcePackage);
    await roundsUntil('one builds', areBuilding(1));
    calls = 0;
    await round();
    const ofOne = calls;

    for (let more = 0; more < 19; more++) {
      const source = await make();
      many.push(source);
      await upload(source);
      await join([source]);
    }
    await roundsUntil('all build', areBuilding(20));
    calls = 0;
    expect(await round()).toEqual({ watched: 20 });
    expect(calls).toBe(ofOne);
    expect(ofOne).toBeLessThanOrEqual(2);
  });

  it.each([
    ['gives no lists of builds', [{ match: 'getBuildRecords', status: 400 }]],
    ['gives no list of uploads', [{ match: 'created_since_date', status: 400 }]],
    ['has no time for its lists of builds', [{ match: 'getBuildRecords', status: 503 }]],
    ['has no time for its list of uploads', [{ match: 'created_since_date', status: 503 }]],
  ])('goes on where the PPA %s', async (_what, web) => {
    standIn.play({
      web,
      sources: {
        '*': {
          builds: {
            '*': [{ state: 'Frobnicating', durationMs: 500 }, { state: 'Failed to build' }],
          },
        },
      },
    });
    const source = await make();
    const { workflowId } = await join([source]);
    await round();
    await upload(source);
    await roundsUntil('the verdict', isDecided(workflowId));
  });

  it('finds what the PPA had before the upload, as after a retry', async () => {
    play('Successfully built');
    const source = await make();
    await upload(source);
    await until('it is built', async () => {
      const [publication] = await standIn.entries(standIn.archiveUrl(), 'getPublishedSources', {
        source_name: JSON.stringify(source.name),
      });
      return publication !== undefined;
    });
    // Uploaded in the far future: no list of the uploads since then has it.
    const { workflowId } = await join([source], { uploadedAtMs: Date.now() + 2 * LONG_MS });
    await roundsUntil('the verdict', isDecided(workflowId));
  });

  it('takes no builds of the version in another series for its own', async () => {
    play('Failed to build');
    const source = await make();
    await upload(source);
    const { self_link: failed } = await standIn.publication(source);
    for (const architecture of ['amd64', 'riscv64'])
      await standIn.buildIn({ self_link: failed }, 'Failed to build', architecture);
    buildForLong();
    await standIn.post(standIn.archiveUrl(), 'copyPackage', 'a-token', {
      source_name: `"${source.name}"`,
      version: `"${source.version}"`,
      from_archive: `"${standIn.archiveUrl()}"`,
      to_series: '"trixie"',
      to_pocket: '"Release"',
      include_binaries: 'false',
    });
    const { workflowId } = await join([source], { request: { series: 'trixie' } });
    await roundsUntil('those of the copy build', areBuilding(1));
    const own = (await recordsNow()).map(({ selfLink }) => selfLink);

    for (const { self_link: build } of await deps.ppaClient.getBuilds(failed)) {
      await deps.ppaClient.retry(build);
      expect(own).not.toContain(build);
    }
    await standIn.buildIn({ self_link: failed }, 'Currently building');
    await round();
    expect((await recordsNow()).map(({ selfLink }) => selfLink)).toEqual(own);
    expect(newsOf(workflowId)).toMatchObject([{ phase: 'building', isDecided: false }]);
  });

  it('tells again what the workflow could not be told, and reports it once', async () => {
    play('Failed to build');
    const source = await make();
    await upload(source);
    const { buildId, workflowId } = await join([source]);
    isTemporalAway = true;
    await until('both have failed', async () => {
      await round().catch(() => undefined);
      const builds = (await eventsOf(buildId)).at(-1)?.builds ?? [];
      return builds.length === 2 && builds.every(({ state }) => state === 'failed');
    });
    expect(newsOf(workflowId)).toEqual([]);
    const events = await eventsOf(buildId);

    isTemporalAway = false;
    await round();
    expect(newsOf(workflowId).at(-1)).toMatchObject({ isDecided: true });
    expect(await eventsOf(buildId)).toEqual(events);
  });

  it('raises an alarm where the PPA has a build no more, and keeps the build as it was', async () => {
    play('Currently building');
    const source = await make();
    await upload(source);
    const { buildId } = await join([source]);
    await roundsUntil('both build', areBuilding(1));
    const before = await eventsOf(buildId);

    standIn.play({
      web: [
        { match: 'getBuildRecords', hideFirst: 100 },
        { match: '+build/', status: 404 },
      ],
    });
    await round();

    expect(lines.find(({ alarm }) => alarm === 'build_record_gone')).toMatchObject({
      level: 40,
      buildState: 'Currently building',
    });
    expect(await eventsOf(buildId)).toEqual(before);
    expect(await watched()).toEqual([buildId]);
  });

  it('says nothing that a later round has said already', async () => {
    play('Currently building');
    const source = await make();
    const { buildId } = await join([source]);
    const [before] = await database.WatchedBuild.findAll({ where: { buildId } });
    await upload(source);
    await roundsUntil('the acceptance', async () => (await eventsOf(buildId)).length > 0);
    const state = { accepted: true, records: [], dependencyWaitSince: null };
    expect(await before?.advance(state)).toBe(false);
  });

  it('says nothing more of a build that polls by itself', async () => {
    play('Currently building');
    const source = await make();
    await upload(source);
    const { buildId } = await join([source]);
    await poll(buildId, 'poll-1');
    expect(await watched()).toEqual([]);
    expect(await round()).toEqual({ watched: 0 });
  });

  it('keeps a build that has joined again, where a try of its poll before that goes on late', async () => {
    const { buildId } = await join([await make()], { request: { polls: 1 } });
    await poll(buildId, 'poll-1');
    expect(await watched()).toEqual([buildId]);
    await poll(buildId, 'poll-2');
    expect(await watched()).toEqual([]);
  });

  it('lets go of a build that has ended, and of one whose workflow has', async () => {
    play('Currently building');
    const [one, two] = [await make(), await make()];
    await upload(two);
    const ended = await join([one]);
    await report(database, { id: ended.buildId }, 'FAILURE');
    await join([two], { workflowId: 'ended-1' });
    await roundsUntil('both are gone', async () => (await watched()).length === 0);
    expect(newsOf(ended.workflowId)).toEqual([]);
  });

  it('asks a build to poll by itself where the upload is late, or is not what was uploaded', async () => {
    const [late, other] = [await make(), await make()];
    await upload(other);
    await standIn.publication(other);
    const waiting = await join([late], { request: { acceptanceMs: 0 } });
    const file =
      other.files
        .find((path) => path.endsWith('.tar.xz'))
        ?.split('/')
        .at(-1) ?? '';
    const files = [{ name: file, sha256: '0'.repeat(64) }];
    const conflicting = await join([other], {
      request: { unverified: [{ source: other.name, version: other.version, files }] },
    });
    await roundsUntil(
      'both are asked',
      () => newsOf(waiting.workflowId).length > 0 && newsOf(conflicting.workflowId).length > 0,
    );
    expect(newsOf(waiting.workflowId)[0]).toEqual({ ask: true });
    expect(newsOf(conflicting.workflowId)[0]).toEqual({ ask: true });
  });

  it('counts no outage of the PPA as time in which it did not show an upload', async () => {
    const { workflowId } = await join([await make()], { uploadedAtMs: Date.now() - 2 * LONG_MS });
    const ago = (ms: number) => new Date(Date.now() - ms);
    const set = (times: { awaySince?: Date; answersSince?: Date }) =>
      database.PpaWatch.update(times, { where: { ppa: REFERENCE } });
    standIn.play({ web: [{ status: 503 }] });
    await round();
    await set({ awaySince: ago(LONG_MS) });
    await round();
    standIn.play({});
    for (let rounds = 0; rounds < 2; rounds++) await round();
    expect(newsOf(workflowId)).toEqual([]);

    await set({ answersSince: ago(LONG_MS) });
    await round();
    expect(newsOf(workflowId)).toEqual([{ ask: true }]);
  });

  describe('takes for no outage', () => {
    /** An upload that is late, and a round that fails long before the next one. */
    async function lateAfterFailedRound() {
      const { workflowId } = await join([await make()], { uploadedAtMs: Date.now() - 2 * LONG_MS });
      await round();
      expect(newsOf(workflowId)).toEqual([]);
      const awaySince = new Date(Date.now() - LONG_MS);
      await database.PpaWatch.update({ awaySince }, { where: { awaySince: { [Op.ne]: null } } });
      return workflowId;
    }

    it('a single round that fails, however late the next one comes', async () => {
      standIn.play({ web: [{ status: 503 }] });
      const workflowId = await lateAfterFailedRound();
      standIn.play({});
      await round();
      expect(newsOf(workflowId)).toEqual([{ ask: true }]);
    });

    it('rounds that wait for their turn among the calls of Launchpad', async () => {
      const rate = { perSecond: 0.001, maxWaitMs: 0, callMs: 1 };
      budget = openSharedBudget(database.sequelize, rate);
      const workflowId = await lateAfterFailedRound();
      await round();
      budget = undefined;
      await round();
      expect(newsOf(workflowId)).toEqual([{ ask: true }]);
    });
  });

  it('tells of a Dependency wait, and that it is over', async () => {
    standIn.play({
      sources: {
        '*': { builds: { '*': [{ state: 'Dependency wait', dependencies: 'libx-dev (>= 2)' }] } },
      },
    });
    const source = await make();
    await upload(source);
    const patient = await join([source]);
    const impatient = await join([source], { request: { dependencyWaitMs: 0 } });
    await roundsUntil('the verdict', isDecided(impatient.workflowId));
    expect(newsOf(impatient.workflowId).at(-1)).toMatchObject({ dependencyWaitIsOver: true });
    await roundsUntil('the wait', () =>
      newsOf(patient.workflowId).some((news) => !news.ask && news.phase === 'dependency_wait'),
    );
    const count = newsOf(patient.workflowId).length;
    await round();
    expect(newsOf(patient.workflowId)).toHaveLength(count);
    expect(newsOf(patient.workflowId).at(-1)).toMatchObject({ isDecided: false });
  });

  describe('of which one build waits for dependencies and another one is built', () => {
    const builds = {
      amd64: [{ state: 'Dependency wait' }],
      riscv64: [
        { state: 'Currently building', untilReleased: true },
        { state: 'Successfully built', binaries: true },
      ],
    };
    const statesNow = async () => (await recordsNow()).map(({ buildState }) => buildState);

    async function oneWaitsOneBuilds() {
      standIn.play({ sources: { '*': { builds } } });
      const source = await make();
      await upload(source);
      const build = await join([source]);
      await roundsUntil('one waits, one builds', async () => {
        const states = await statesNow();
        return states.includes('Dependency wait') && states.includes('Currently building');
      });
      return build;
    }

    /** What the workflow is told once the other is built. */
    async function newsOnceBuilt(workflowId: string) {
      standIn.play({ sources: { '*': { builds, released: true } } });
      await roundsUntil('the other is built', () =>
        newsOf(workflowId).some((news) => !news.ask && news.phase === 'dependency_wait'),
      );
      return newsOf(workflowId).at(-1);
    }

    it('gives what waits its whole time once the rest of the request is built', async () => {
      const { buildId, workflowId } = await oneWaitsOneBuilds();
      await database.sequelize.query(
        `UPDATE watched_build SET dependency_wait_since = dependency_wait_since - interval '1 day'`,
      );
      expect(await newsOnceBuilt(workflowId)).toMatchObject({
        phase: 'dependency_wait',
        dependencyWaitIsOver: false,
        isDecided: false,
      });
      expect(await watched()).toEqual([buildId]);
    });

    it('gives it also where no round saw the rest fail and be retried in time', async () => {
      const { workflowId } = await oneWaitsOneBuilds();
      await database.sequelize.query(
        `UPDATE watched_build SET uploaded_at = clock_timestamp() - interval '2 days',
           dependency_wait_since = clock_timestamp() - interval '1 day',
           records = replace(records::text, 'Currently building', 'Failed to build')::jsonb`,
      );
      await round();
      expect(await statesNow()).toContain('Currently building');
      expect(await newsOnceBuilt(workflowId)).toMatchObject({ dependencyWaitIsOver: false });
    });

    it('takes for over what was over before later packages of the request were uploaded', async () => {
      const { workflowId } = await oneWaitsOneBuilds();
      await database.sequelize.query(
        `UPDATE watched_build SET uploaded_at = clock_timestamp() - interval '1 hour',
           dependency_wait_since = clock_timestamp() - interval '1 day'`,
      );
      await round();
      expect(await newsOnceBuilt(workflowId)).toMatchObject({
        dependencyWaitIsOver: true,
        isDecided: true,
      });
    });
  });

  it('counts no outage of the PPA as a Dependency wait', async () => {
    play('Dependency wait');
    const source = await make();
    await upload(source);
    const { workflowId } = await join([source]);
    await roundsUntil('both wait', async () => {
      const records = await recordsNow();
      return (
        records.length === 2 &&
        records.every(({ buildState }) => buildState === 'Dependency wait') &&
        newsOf(workflowId).length > 0
      );
    });
    const before = newsOf(workflowId);
    const ago = (ms: number) => new Date(Date.now() - ms);
    const answersSince = (time: Date) =>
      database.PpaWatch.update({ answersSince: time }, { where: { ppa: REFERENCE } });
    await database.WatchedBuild.update(
      { uploadedAt: ago(4 * LONG_MS), dependencyWaitSince: ago(3 * LONG_MS) },
      { where: {} },
    );

    await answersSince(ago(LONG_MS / 2));
    for (let rounds = 0; rounds < 2; rounds++) await round();
    expect(newsOf(workflowId)).toEqual(before);

    await answersSince(ago(2 * LONG_MS));
    await database.WatchedBuild.update({ dependencyWaitSince: ago(3 * LONG_MS) }, { where: {} });
    await round();
    expect(newsOf(workflowId).at(-1)).toMatchObject({ dependencyWaitIsOver: true });
  });

  it('measures a Dependency wait by the database, whatever the clock of the worker says', async () => {
    play('Dependency wait');
    const source = await make();
    await upload(source);
    const { workflowId } = await join([source]);
    const isWaiting = async () => {
      const records = await recordsNow();
      return records.length === 2 && records.every((one) => one.buildState === 'Dependency wait');
    };
    await roundsUntil('the wait', isWaiting);
    const later = await join([source]);
    for (const aheadMs of [-2 * LONG_MS, 2 * LONG_MS]) {
      fakeDate(Date.now() + aheadMs);
      await round().finally(() => jest.useRealTimers());
    }
    for (const each of [workflowId, later.workflowId]) {
      const news = newsOf(each).at(-1);
      expect(news).toMatchObject({
        phase: 'dependency_wait',
        dependencyWaitIsOver: false,
        isDecided: false,
      });
      expect(!news?.ask && news?.dependencyWaitedMs).toBeLessThan(LONG_MS);
    }
  });

  it('notes on its builds that the PPA does not answer, and takes it back', async () => {
    const { buildId } = await join([await make()]);
    standIn.play({ web: [{ status: 503 }] });
    expect(await round()).toEqual({ watched: 1 });
    await round();
    const lastError = async () => (await database.Build.findByPk(buildId))?.lastError;
    expect(await lastError()).toMatchObject({ step: 'watchPpa', tries: 2 });
    standIn.play({});
    await round();
    expect(await lastError()).toBeNull();
  });

  it.each([
    ['nothing', {}],
    ['nothing about its sources', { match: 'getPublishedSources' }],
  ])('counts a PPA as away that answers %s, and asks it no more than twice', async (_what, of) => {
    const awaySince = async () => (await database.PpaWatch.findByPk(REFERENCE))?.awaySince;
    for (let builds = 0; builds < 5; builds++) await join([await make()]);
    standIn.play({ web: [{ ...of, status: 503 }] });
    await round();
    expect(calls).toBeLessThanOrEqual(2);
    expect(await awaySince()).toEqual(expect.any(Date));

    standIn.play({ web: [{ match: 'created_since_date', status: 503 }] });
    await round();
    expect(await awaySince()).toBeNull();
  });

  it('cancels the build of a caller who is gone, although the PPA does not answer', async () => {
    const gone = server.answer('gone.json', '{"building": false}');
    const there = server.answer('there.json', '{"building": true}');
    const wanted = await join([await make()], { cancelUrl: there });
    const unwanted = await join([await make()], { cancelUrl: gone });
    standIn.play({ web: [{ status: 503 }] });
    await round();
    await round();
    expect(cancelled).toEqual([unwanted.workflowId]);
    expect(await watched()).toEqual([wanted.buildId, unwanted.buildId]);
  });

  it('waits once for a host that does not answer, however many builds name it', async () => {
    const other = await startFileServer();
    const names = Array.from({ length: 40 }, (_, more) => `silent-${more}`);
    for (const name of names)
      await join([{ name, version: '1.0' }], { cancelUrl: server.answer(name, () => undefined) });
    const cancelUrl = other.answer('gone.json', '{"building": false}');
    const { workflowId } = await join([{ name: 'unwanted', version: '1.0' }], { cancelUrl });
    deps.cancelUrlTimeoutMs = 500;
    expect(await round()).toEqual({ watched: 41 });
    // Those that were asked before the first of them was late.
    expect(names.filter((name) => server.asked(name) > 0).length).toBeLessThanOrEqual(30);
    await roundsUntil('the other host is heard', () => cancelled.includes(workflowId));
    await other.stop();
  });

  it('hears a caller whose server lets the cancel URLs of all earlier builds wait', async () => {
    const names = Array.from({ length: 30 }, (_, more) => `lost-${more}`);
    for (const name of names)
      await join([{ name, version: '1.0' }], { cancelUrl: server.answer(name, () => undefined) });
    const cancelUrl = server.answer('gone.json', '{"building": false}');
    const { workflowId } = await join([{ name: 'unwanted', version: '1.0' }], { cancelUrl });
    deps.cancelUrlTimeoutMs = 500;
    await roundsUntil('the last one is heard', () => cancelled.includes(workflowId));
  });

  it('ends though a host answers slowly, and hears its other callers in later rounds', async () => {
    let nowMs = 0;
    const names = Array.from({ length: 40 }, (_, more) => `slow-${more}`);
    for (const name of names) {
      const cancelUrl = server.answer(name, (_request, response) => {
        nowMs += LONG_MS;
        response.end('{"building": true}');
      });
      await join([{ name, version: '1.0' }], { cancelUrl });
    }
    const slowRound = () => runActivity(watchPpa(deps, { now: () => nowMs }), { ppa: PPA });
    expect(await slowRound()).toEqual({ watched: 40 });
    const isAsked = (name: string) => server.asked(name) > 0;
    expect(names.filter(isAsked).length).toBeLessThanOrEqual(30);
    await until('all are asked', async () => {
      await slowRound();
      return names.every(isAsked);
    });
  });

  it('asks for no more builds and cancel URLs once its worker is to stop', async () => {
    let stop = () => undefined as void;
    const names = Array.from({ length: 40 }, (_, more) => `stopped-${more}`);
    for (const name of names) {
      const cancelUrl = server.answer(name, (_request, response) => {
        stop();
        response.end('{"building": true}');
      });
      await join([{ name, version: '1.0' }], { cancelUrl });
    }
    let asked = 0;
    const { ppaClient } = deps;
    const getPublishedSources: typeof ppaClient.getPublishedSources = async (ppa, wanted) => {
      asked += 1;
      const answer = await ppaClient.getPublishedSources(ppa, wanted);
      stop();
      return answer;
    };
    deps.ppaClient = { ...ppaClient, getPublishedSources };
    const stopped = runActivity(
      watchPpa(deps),
      { ppa: PPA },
      {
        prepare: (environment) => {
          stop = () => environment.cancel('WORKER_SHUTDOWN');
        },
      },
    );
    await expect(stopped).rejects.toThrow('WORKER_SHUTDOWN');
    // What had begun by then: eight builds at once, and thirty cancel URLs.
    expect(asked).toBeLessThanOrEqual(8);
    expect(names.filter((name) => server.asked(name) > 0).length).toBeLessThanOrEqual(30);

    deps.ppaClient = ppaClient;
    expect(await round()).toEqual({ watched: 40 });
    expect(told).toEqual([]);
  });

  it('raises an alarm for a state that it does not know', async () => {
    play('Contemplating life');
    const source = await make();
    await upload(source);
    const { buildId } = await join([source]);
    await roundsUntil('the alarm', () =>
      lines.some(({ alarm }) => alarm === 'unknown_build_state'),
    );
    expect((await eventsOf(buildId)).at(-1)?.builds.map(({ state }) => state)).toContain('unknown');
  });
});

describe('the builds that nobody watches', () => {
  const unwatched = async () =>
    (await database.WatchedBuild.unwatchedFor(LONG_MS, 100)).map(({ buildId }) => buildId);

  it('have been uploaded for as long as their workflow says, whatever clock it goes by', async () => {
    const beforeMs = Date.now();
    const ahead = beforeMs + LONG_MS;
    const { buildId } = await join([await make()], { atMs: ahead, uploadedAtMs: ahead - 60_000 });
    const uploadedAt = (await database.WatchedBuild.findByPk(buildId))?.uploadedAt.getTime() ?? 0;
    expect(Math.abs(uploadedAt - (beforeMs - 60_000))).toBeLessThan(30_000);
  });

  it('are those of a PPA without a round since a time, each told once in that time', async () => {
    const { buildId } = await join([await make()]);
    await round();
    expect(await unwatched()).toEqual([]);
    await database.WatchedBuild.update({ joinedAt: new Date(0) }, { where: { buildId } });
    await database.PpaWatch.update({ roundAt: new Date(0) }, { where: { ppa: REFERENCE } });
    expect(await unwatched()).toEqual([buildId]);
    const build = await database.WatchedBuild.findByPk(buildId);
    await build?.markAsked();
    expect(await unwatched()).toEqual([]);
  });

  describe('are none, however long the round of their PPA waits', () => {
    /** Polls the PPA while calls of one kind hang; meanwhile it is long ago that the round began. */
    async function roundThatHangs(call: 'getSourcesSince' | 'getPublishedSources') {
      const { ppaClient } = deps;
      let letGo = () => undefined as void;
      const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
      let hangs = () => undefined as void;
      const isHanging = new Promise<void>((resolve) => (hangs = resolve));
      deps.ppaClient = {
        ...ppaClient,
        async [call](...input: never[]) {
          hangs();
          await isLetGo;
          return (ppaClient[call] as (...input: never[]) => Promise<never>)(...input);
        },
      };
      const { buildId } = await join([await make()]);
      const polling = runActivity(watchPpa(deps, { markEveryMs: 20 }), { ppa: PPA });
      await isHanging;
      await database.WatchedBuild.update({ joinedAt: new Date(0) }, { where: { buildId } });
      await database.PpaWatch.update({ roundAt: new Date(0) }, { where: { ppa: REFERENCE } });
      return { letGo, polling };
    }

    it.each([
      ['for its lists', 'getSourcesSince'],
      ['for a build that it asks for by itself', 'getPublishedSources'],
    ] as const)('%s', async (_what, call) => {
      const { letGo, polling } = await roundThatHangs(call);
      try {
        await until('they count as watched', async () => (await unwatched()).length === 0, 5_000);
      } finally {
        letGo();
      }
      expect(await polling).toEqual({ watched: 1 });
    });
  });

  it('begin anew where they join again, and join once where a join is repeated', async () => {
    const { buildId, input, info } = await join([await make()]);
    await round();
    const row = () => database.WatchedBuild.findByPk(buildId);
    const first = await row();
    await runActivity(joinWatch(deps), input, { info });
    expect((await row())?.joinedAt).toEqual(first?.joinedAt);
    await runActivity(
      joinWatch(deps),
      { ...input, request: { ...input.request, knowsFailure: true } },
      { info },
    );
    expect((await row())?.request.knowsFailure).toBe(true);
    expect((await row())?.version).toBe(0);
  });
});
