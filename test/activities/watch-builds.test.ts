import type { Info } from '@temporalio/activity';
import { isDeepStrictEqual } from 'node:util';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { cancelBuilds } from '../../activities/cancel-builds.ts';
import { watchBuilds } from '../../activities/watch-builds.ts';
import { findBuiltPackages } from '../../activities/ppa/built-packages.ts';
import { watchedByOthers } from '../../activities/ppa/watched-by-others.ts';
import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { createPpaClient } from '../../ppa/client.ts';
import { seriesOf } from '../../ppa/wire.ts';
import { addBuild, cancelBuild, report } from '../support/rows.ts';
import { createTestDatabase } from '../support/database.ts';
import type { SourcePackage } from '../support/source-package.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import { until } from '../support/until.ts';
import { TEST_SOURCES } from '../support/test-sources.ts';
import { keepLog, runActivity, type LogLine } from './activity.ts';
import { startFileServer, type Answer, type FileServer } from './file-server.ts';

const PPA = { owner: 'me', distribution: 'debian', name: 'test' };

describe('watchBuilds', () => {
  let standIn: OwnStandIn;
  let server: FileServer;
  let testDatabase: { url: string; drop: () => Promise<void> };
  let database: Database;
  let buildId: number;
  let lines: LogLine[];
  let wakes: number;
  let deps: Pick<
    ActivityDependencies,
    'ppaClient' | 'database' | 'onRecorded' | 'sources' | 'cancelUrlTimeoutMs' | 'logger'
  >;

  beforeAll(async () => {
    [standIn, testDatabase] = await Promise.all([
      openStandIn({ architectures: ['amd64', 'riscv64'], builders: 50 }),
      createTestDatabase(),
    ]);
    database = openDatabase(testDatabase.url, 3);
  });
  afterAll(async () => {
    await standIn.close();
    await database.close();
    await testDatabase.drop();
  });
  beforeEach(async () => {
    standIn.play({});
    server = await startFileServer();
    buildId = (await addBuild(database)).id;
    wakes = 0;
    const log = keepLog();
    lines = log.lines;
    deps = {
      database,
      logger: log.logger,
      cancelUrlTimeoutMs: 60_000,
      onRecorded: () => {
        wakes += 1;
      },
      ppaClient: createPpaClient({
        rootUrl: standIn.webUrl,
        credentials: { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' },
        timeoutMs: 60_000,
        logger: log.logger,
      }),
      sources: { ...TEST_SOURCES },
    };
  });
  afterEach(() => server.stop());

  let sources = 0;
  const make = () => standIn.make({ name: `probe-${++sources}`, architecture: 'any' });
  const look = (
    packages: SourcePackage[],
    more: Partial<Parameters<ReturnType<typeof watchBuilds>>[0]> = {},
    attempt = 1,
    times: Partial<Info> = {},
  ) =>
    runActivity(
      watchBuilds(deps),
      {
        buildId,
        ppa: PPA,
        packages: packages.map(({ name, version }) => ({ source: name, version })),
        previous: [],
        reportKey: 'look-1',
        cancelUrl: null,
        ...more,
      },
      { info: { attempt, ...times } },
    );
  const accepted = (packages: SourcePackage[]) =>
    until('the PPA has accepted the packages', async () => {
      const seen = await look(packages);
      return seen.accepted && seen;
    });
  const areBuilding = (records: BuildRecord[]) =>
    records.every(({ buildState }) => buildState === 'Currently building');
  /** Those after the acceptance of the request. */
  const events = () => database.ProgressEvent.findAfter(buildId, 1, 100);
  const play = (...states: string[]) =>
    standIn.play({
      sources: {
        '*': {
          builds: { '*': states.map((state) => ({ state })) as [{ state: string }] },
        },
      },
    });

  const askCancelUrl = async (answer: Answer | string) => {
    const cancelUrl = server.answer('ticket.json', answer);
    return (await look([], { cancelUrl })).cancelRequested;
  };

  it.each([
    ['says so where its tries have failed for five minutes', 3, 300_000, true],
    ['says nothing of tries that have failed for less', 3, 299_999, undefined],
    ['says nothing of one that failed after its wait for a worker', 2, 300_000, undefined],
  ])('%s', async (_, attempt, failedMs, afterOutage) => {
    const begunAtMs = Date.now();
    const times = {
      scheduledTimestampMs: begunAtMs,
      currentAttemptScheduledTimestampMs: begunAtMs + failedMs,
    };
    expect((await look([await make()], {}, attempt, times)).afterOutage).toBe(afterOutage);
  });

  describe('of a PPA that has a watch', () => {
    const ago = (ms: number) => new Date(Date.now() - ms);
    const heardFor = async (times: { awaySince?: Date; answersSince?: Date }) => {
      await database.PpaWatch.upsert({
        ppa: '~me/debian/test',
        roundAt: new Date(),
        awaySince: null,
        answersSince: null,
        ...times,
      });
      return (await look([await make()])).answersForMs;
    };
    afterEach(() => database.PpaWatch.destroy({ where: {} }));

    it('says how long ago the latest outage ended that the watch has seen', async () => {
      const answersForMs = await heardFor({ answersSince: ago(300_000) });
      expect(answersForMs).toBeGreaterThanOrEqual(300_000);
      expect(answersForMs).toBeLessThan(600_000);
    });

    it('ends an outage in which the watch has stopped', async () => {
      const times = { awaySince: ago(900_000), answersSince: ago(600_000) };
      expect(await heardFor(times)).toBeLessThan(300_000);
      const watch = await database.PpaWatch.findByPk('~me/debian/test');
      expect(watch?.awaySince).toBeNull();
    });

    it.each([
      ['no round that failed', {}],
      ['a single one', { awaySince: ago(600_000) }],
    ])('says nothing of an outage where the watch has seen %s', async (_, times) => {
      expect(await heardFor(times)).toBeUndefined();
    });
  });

  it('reports nothing before the PPA has accepted every package', async () => {
    play('Currently building');
    const [one, two] = [await make(), await make()];
    expect(await look([one, two])).toEqual({
      records: [],
      accepted: false,
      cancelRequested: false,
      reported: false,
      published: true,
    });

    await standIn.upload(one.files, '~me/debian/test/bookworm');
    await standIn.publication(one);
    expect(await look([one, two], { reportKey: 'again' })).toMatchObject({
      accepted: false,
      reported: false,
    });

    expect(await events()).toEqual([]);
    expect(wakes).toBe(0);
  });

  it('reports the builds of every architecture of every package once all are accepted', async () => {
    play('Currently building');
    const packages = [await make(), await make()];
    for (const { files } of packages) await standIn.upload(files, '~me/debian/test/bookworm');

    const seen = await accepted(packages);

    expect(seen).toMatchObject({ reported: true, cancelRequested: false });
    expect(
      seen.records.map((record) => `${record.package} ${record.architecture}`).toSorted(),
    ).toEqual(packages.flatMap(({ name }) => [`${name} amd64`, `${name} riscv64`]));
    expect(seen.records[0]).toMatchObject({ version: '1.0', buildLogUrl: null });
    const [event] = await events();
    expect(event).toMatchObject({ seq: 2, message: 'INPROGRESS', state: 'STATUS' });
    expect(event?.builds).toHaveLength(4);
    expect(wakes).toBe(1);
  });

  it('reports again on a change, and at the acceptance, and else not', async () => {
    play('Currently building');
    const source = await make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    const { records: first } = await accepted([source]);
    const previous = await until('all are building', async () => {
      const { records } = await look([source], { previous: first, reportKey: 'settled' });
      return areBuilding(records) && records;
    });
    const before = (await events()).length;

    expect(await look([source], { previous, reportKey: 'same' })).toMatchObject({
      reported: false,
    });
    const unverified = { series: 'bookworm', packages: [] };
    expect(await look([source], { previous, reportKey: 'verified', unverified })).toMatchObject({
      reported: true,
    });
    await runActivity(cancelBuilds({ ...deps, watchedByOthers: watchedByOthers(deps) }), {
      records: previous,
    });
    const changed = await until('a change', async () => {
      const seen = await look([source], { previous, reportKey: 'changed' });
      return seen.reported && seen;
    });

    expect(changed.records).not.toEqual(previous);
    expect((await events()).length).toBe(before + 2);
  });

  it('is recorded once when it is repeated, and a change since the first try is not lost', async () => {
    play('Currently building');
    const source = await make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    const { records } = await until('both are building', async () => {
      const seen = await look([source]);
      return seen.records.length === 2 && areBuilding(seen.records) && seen;
    });
    const before = await events();
    await look([source]);
    expect((await events()).length).toBe(before.length);

    await runActivity(cancelBuilds({ ...deps, watchedByOthers: watchedByOthers(deps) }), {
      records,
    });
    let attempt = 1;
    await until('both are cancelled', async () =>
      (await look([source], {}, (attempt += 1))).records.every(
        ({ buildState }) => buildState === 'Cancelled build',
      ),
    );

    const all = await events();
    expect(all.length).toBeGreaterThan(before.length);
    expect(all.at(-1)?.builds.map(({ buildstate }) => buildstate)).toContain('Cancelled build');
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_event, index) => index + 2));
  });

  it('raises an alarm for a state that it does not know', async () => {
    play('Contemplating life');
    const source = await make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    let polls = 0;
    await until('the state', async () =>
      (await look([source], { reportKey: `poll-${++polls}` })).records.some(
        ({ buildState }) => buildState === 'Contemplating life',
      ),
    );

    expect(lines.find(({ alarm }) => alarm === 'unknown_build_state')).toMatchObject({
      level: 40,
      buildId,
      buildState: 'Contemplating life',
    });
    expect((await events()).at(-1)?.builds.map(({ state }) => state)).toContain('unknown');
  });

  it.each([
    ['is not listed any more', [{ match: 'getBuilds', hideFirst: 1 }]],
    [
      'has gone',
      [
        { match: 'getBuilds', hideFirst: 1 },
        { match: '+build/', status: 404 },
      ],
    ],
    ['is of a publication that has gone', [{ match: 'getBuilds', status: 404 }]],
    ['is of a publication that is not listed', [{ match: 'getPublishedSources', hideFirst: 1 }]],
  ])('keeps a record that %s', async (_what, web) => {
    play('Currently building');
    const source = await make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    const { records: previous } = await accepted([source]);
    expect(previous).toHaveLength(2);

    standIn.play({ web });
    const { records } = await look([source], { previous });

    expect(new Set(records.map(({ selfLink }) => selfLink))).toEqual(
      new Set(previous.map(({ selfLink }) => selfLink)),
    );
  });

  it('counts a package without any build as not accepted yet', async () => {
    const source = await make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    await accepted([source]);
    standIn.play({ web: [{ match: 'getBuilds', hideFirst: 2 }] });
    expect(await look([source])).toMatchObject({ accepted: false, records: [] });
  });

  describe('of a version that was copied to another series of the PPA', () => {
    /** Copies what bookworm has to trixie. */
    async function copyToTrixie(
      { name, version }: SourcePackage,
      includeBinaries: boolean,
      from = standIn.archiveUrl(),
    ) {
      const answer = await standIn.post(standIn.archiveUrl(), 'copyPackage', 'a-token', {
        source_name: `"${name}"`,
        version: `"${version}"`,
        from_archive: `"${from}"`,
        from_series: '"bookworm"',
        to_series: '"trixie"',
        to_pocket: '"Release"',
        include_binaries: String(includeBinaries),
      });
      expect(answer.status).toBe(200);
      await until('the copy', async () => {
        const wanted = { source: name, version };
        const sources = await deps.ppaClient.getPublishedSources(PPA, wanted);
        return sources.some((one) => seriesOf(one) === 'trixie');
      });
    }
    const lookAt = (source: SourcePackage, series: string) =>
      look([source], { series, awaitPublication: true });
    const statesOf = (records: BuildRecord[]) => records.map(({ buildState }) => buildState);

    it('to be built there, shows the builds of its own series alone', async () => {
      play('Failed to build');
      const source = await make();
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const failed = ['Failed to build', 'Failed to build'];
      await until('both have failed', async () => {
        const { records } = await lookAt(source, 'bookworm');
        return isDeepStrictEqual(statesOf(records), failed);
      });
      const built = { state: 'Successfully built', binaries: true };
      standIn.play({ sources: { '*': { builds: { '*': [built] } } } });
      await copyToTrixie(source, false);

      const rebuilt = await until('the copy is built and published', async () => {
        const seen = await lookAt(source, 'trixie');
        return seen.published && seen;
      });
      expect(rebuilt).toMatchObject({ accepted: true });
      expect(statesOf(rebuilt.records)).toEqual([built.state, built.state]);
      expect(statesOf((await lookAt(source, 'bookworm')).records)).toEqual(failed);
      expect((await look([source])).records).toHaveLength(4);
    });

    it('with its packages, shows the builds that have made these', async () => {
      const built = { state: 'Successfully built', binaries: true };
      standIn.play({ sources: { '*': { builds: { '*': [built] } } } });
      const source = await make();
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const before = await until('all is published', async () => {
        const seen = await lookAt(source, 'bookworm');
        return seen.accepted && seen.published && seen;
      });
      await copyToTrixie(source, true);
      expect(await lookAt(source, 'trixie')).toMatchObject({
        accepted: true,
        records: before.records,
      });
    });

    it('with its packages, shows what is built beside these, too', async () => {
      const built = { state: 'Successfully built', binaries: true };
      const failed = { state: 'Failed to build' };
      standIn.play({ sources: { '*': { builds: { amd64: [built], riscv64: [failed] } } } });
      const source = await make();
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const before = await until('what is built is published', async () => {
        const seen = await lookAt(source, 'bookworm');
        return seen.accepted && seen.published && seen;
      });
      standIn.play({ sources: { '*': { builds: { '*': [built] } } } });
      await copyToTrixie(source, true);

      const { records } = await until('the copy is whole', async () => {
        const seen = await lookAt(source, 'trixie');
        return seen.published && seen;
      });
      expect(statesOf(records)).toEqual([built.state, built.state]);
      const made = before.records.filter(({ buildState }) => buildState === built.state);
      expect(records).toEqual(expect.arrayContaining(made));
      const sources = {
        ppa: PPA,
        series: 'trixie',
        packages: [{ source: source.name, version: source.version }],
      };
      const found = await findBuiltPackages(
        { ppaClient: deps.ppaClient, aptUrl: standIn.webUrl },
        sources,
        records,
      );
      expect(found?.sources[0]?.packages.map(({ architecture }) => architecture)).toEqual([
        'amd64',
        'riscv64',
      ]);
    });

    it('with its packages from another PPA, has none, and is named', async () => {
      const built = { state: 'Successfully built', binaries: true };
      standIn.play({ sources: { '*': { builds: { '*': [built] } } } });
      const [source, absent] = [await make(), await make()];
      await standIn.upload(source.files, '~me/debian/other/bookworm');
      const other = standIn.archiveUrl('~me/+archive/debian/other');
      const publication = await until('the upload', async () => {
        const parameters = { source_name: source.name, exact_match: 'true' };
        return (await standIn.entries(other, 'getPublishedSources', parameters)).at(0);
      });
      await standIn.untilPublished(publication);
      await copyToTrixie(source, true, other);
      expect(await lookAt(source, 'trixie')).toMatchObject({
        accepted: false,
        records: [],
        withoutBuilds: [`${source.name} 1.0`],
      });
      expect(await look([source, absent], { series: 'trixie' })).not.toHaveProperty(
        'withoutBuilds',
      );
    });
  });

  it('refuses what somebody else uploaded under the same version', async () => {
    const source = await make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    await accepted([source]);
    const files = source.files
      .filter((path) => path.endsWith('.tar.xz'))
      .map((path) => ({
        name: path.split('/').at(-1) ?? '',
        url: '',
        sizeBytes: 1,
        sha256: '0'.repeat(64),
      }));
    const unverified = {
      series: 'bookworm',
      packages: [{ source: source.name, version: source.version, files }],
    };
    await expect(look([source], { unverified })).rejects.toMatchObject({
      code: 'version_conflict',
    });
  });

  it.each([
    ['waits for packages that are Pending', true, 86_400_000, false],
    ['waits where a build has left no package', false, 0, false],
    ['sees that all packages are published', true, 0, true],
  ])('asked for publication, %s', async (_what, binaries, publishAfterMs, published) => {
    const script = { state: 'Successfully built', binaries };
    const source = await make();
    standIn.play({ sources: { [source.name]: { publishAfterMs, builds: { '*': [script] } } } });
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    await until('both are built', async () => {
      const { records } = await look([source]);
      return (
        records.length === 2 &&
        records.every(({ buildState }) => buildState === 'Successfully built')
      );
    });
    const asked = () => look([source], { awaitPublication: true });
    if (published) await until('all is published', async () => (await asked()).published);
    else expect(await asked()).toMatchObject({ published: false });
    expect(await look([source])).toMatchObject({ published: true });
  });

  it('asked for publication, says that it does not come where the source is deleted before', async () => {
    const source = await make();
    const built = { state: 'Successfully built', binaries: true };
    standIn.play({
      sources: { [source.name]: { publishAfterMs: 86_400_000, builds: { '*': [built] } } },
    });
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    await until('both are built', async () => {
      const { records } = await look([source]);
      return records.length === 2 && records.every(({ buildState }) => buildState === built.state);
    });
    const asked = () => look([source], { awaitPublication: true });
    expect(await asked()).toMatchObject({ published: false });

    const { self_link: link } = await standIn.publication(source);
    expect(await deps.ppaClient.deletePublication(link, 'By mistake.')).toBeUndefined();
    await expect(asked()).rejects.toMatchObject({
      code: 'source_gone',
      message: `${source.name} 1.0 is Deleted in the PPA, and its packages were never published`,
    });

    // Launchpad keeps what was never published beside what is copied back.
    standIn.play({});
    const place = { archive: PPA, series: 'bookworm', pocket: 'Release' as const };
    const copied = { ...place, source: source.name, version: source.version };
    expect(await deps.ppaClient.copyPackage(copied, PPA)).toBeUndefined();
    await until('the copy is published', async () => {
      const all = await deps.ppaClient.getPublishedSources(PPA, copied);
      return all.some(({ status }) => status === 'Published') && (await asked()).published;
    });
  });

  it('asked for publication of what is built beside a failure, sees that', async () => {
    const [good, bad] = [await make(), await make()];
    const end = (state: string) => ({
      builds: { '*': [{ state, binaries: state === 'Successfully built' }] },
    });
    standIn.play({
      sources: { [good.name]: end('Successfully built'), [bad.name]: end('Failed to build') },
    });
    for (const { files } of [good, bad]) await standIn.upload(files, '~me/debian/test/bookworm');
    await until('what is built is published', async () => {
      const { records, published } = await look([good, bad], { awaitPublication: true });
      return records.length === 4 && published;
    });
  });

  it('leaves a web service that is out of order to a later try', async () => {
    standIn.play({ web: [{ status: 503, retryAfterS: 3 }] });
    await expect(look([await make()])).rejects.toMatchObject({
      name: 'PpaUnavailableError',
      retryAfterMs: 3_000,
    });
  });

  it('leaves alone what another request waits for, until that is cancelled, too', async () => {
    const sourcePackages = ['http://127.0.0.1/shared_1.0-1_source.changes'];
    const first = await addBuild(database, { sourcePackages });
    const second = await addBuild(database, { sourcePackages });
    for (const build of [
      second,
      await addBuild(database, { sourcePackages, ppa: 'ppa:airline/other' }),
      await addBuild(database, { sourcePackages: ['http://127.0.0.1/shared_2_source.changes'] }),
    ])
      await report(database, build, 'STARTED', { phase: 'accepting' });
    const selfLink = 'http://127.0.0.1:1/+build/1';
    const record = { package: 'shared', version: '1:1.0-1', selfLink } as BuildRecord;
    const find = watchedByOthers(deps);
    expect(
      await runActivity(cancelBuilds({ ...deps, watchedByOthers: find }), {
        buildId: first.id,
        records: [record],
      }),
    ).toEqual({ asked: 0, refused: [], kept: [{ selfLink, keptFor: second.id }] });
    await cancelBuild(database, second);
    expect(await find(first.id, [record])).toEqual(new Map());
  });

  it('stops what two requests wait for that are stopped at once', async () => {
    play('Currently building');
    const source = await make();
    const sourcePackages = [`http://127.0.0.1/${source.name}_${source.version}_source.changes`];
    const first = await addBuild(database, { sourcePackages, ppa: 'ppa:me/debian/test' });
    const second = await addBuild(database, { sourcePackages, ppa: 'ppa:me/debian/test' });
    await report(database, second, 'STARTED', { phase: 'accepting' });
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    const publication = await standIn.publication(source);
    await standIn.buildIn(publication, 'Currently building', 'amd64');
    const { records } = await look([source]);
    const record = records.filter(({ architecture }) => architecture === 'amd64');
    const stop = ({ id }: { id: number }) =>
      runActivity(cancelBuilds({ ...deps, watchedByOthers: watchedByOthers(deps) }), {
        buildId: id,
        records: record,
      });

    const [{ selfLink } = { selfLink: '' }] = record;
    expect(await stop(first)).toEqual({
      asked: 0,
      refused: [],
      kept: [{ selfLink, keptFor: second.id }],
    });
    expect(await stop(second)).toEqual({ asked: 1, refused: [] });
  });

  describe('and the cancel URL', () => {
    it('that says `building: false` cancels', async () => {
      expect(await askCancelUrl('{"building": false, "ticket": 7}')).toBe(true);
    });

    it('that says `building: true` does not, and is no news', async () => {
      expect(await askCancelUrl('{"building": true}')).toBe(false);
      expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
    });

    const json = '{"building": false}';
    it.each<[string, Answer | string]>([
      ['that has no such field', '{}'],
      ['with null', '{"building": null}'],
      ['with 0', '{"building": 0}'],
      ['with a text', '{"building": "false"}'],
      ['with a list', '[{"building": false}]'],
      ['that is no JSON', '<html>gone</html>'],
      ['that is empty', ''],
      ['that is cut', '{"building": fal'],
      ['that is huge', `{"building": false, "more": "${'x'.repeat(70_000)}"}`],
      ...[201, 204, 301, 302, 404, 410, 500, 503].map((status): [string, Answer] => [
        `that answers ${status}`,
        (_request, response) =>
          response.writeHead(status, { location: '/elsewhere' }).end(status === 204 ? '' : json),
      ]),
      ['that breaks the connection', (_request, response) => response.destroy()],
      ['that does not answer', () => {}],
      [
        'that never ends',
        (_request, response) => {
          response.write('{"building": false');
          const timer = setInterval(() => response.write(' '), 20);
          response.on('close', () => clearInterval(timer));
        },
      ],
    ])('%s does not cancel, and is logged', async (what, answer) => {
      if (/not answer$|never ends/.test(what)) deps.cancelUrlTimeoutMs = 300;
      expect(await askCancelUrl(answer)).toBe(false);
      expect(lines.find(({ level }) => level === 40)?.msg).toContain('cancel URL');
    });

    it('counts while the PPA does not answer; what was known of the builds stays', async () => {
      play('Currently building');
      const source = await make();
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const { records } = await accepted([source]);
      standIn.play({ web: [{ status: 503 }] });
      const ask = (answer: string) =>
        look([source], { cancelUrl: server.answer('ticket.json', answer), previous: records });

      expect(await ask(json)).toMatchObject({ cancelRequested: true, records, reported: false });
      await expect(ask('{"building": true}')).rejects.toThrow('503');
    });

    it('on a host that is not on the allow-list is not asked', async () => {
      const port = server.port;
      server.answer('ticket.json', json);
      const cancelUrl = `http://localhost:${port}/ticket.json`;
      expect((await look([], { cancelUrl })).cancelRequested).toBe(false);
      expect(server.asked('ticket.json')).toBe(0);
    });

    it('whose name leads to no public address is not asked, unless its network is allowed', async () => {
      const cancelUrl = server.answer('ticket.json', json).replace('127.0.0.1', 'callers.example');
      const rule = { ...deps.sources.rule, hosts: ['callers.example'] };
      deps.sources.rule = rule;
      deps.sources.resolve = (_name, _options, found) =>
        found(null, [{ address: '127.0.0.1', family: 4 }]);
      expect((await look([], { cancelUrl })).cancelRequested).toBe(false);
      expect(server.asked('ticket.json')).toBe(0);
      expect(lines.at(-1)?.['reason']).toContain('leads to 127.0.0.1: it is not a public address');

      deps.sources.rule = { ...rule, privateNetworks: ['127.0.0.1/32'] };
      expect((await look([], { cancelUrl })).cancelRequested).toBe(true);
    });

    it('at a port of Airline itself is not asked, however it writes the address', async () => {
      const cancelUrl = server.answer('ticket.json', json).replace('127.0.0.1', '0.0.0.0');
      const hosts = ['0.0.0.0'];
      deps.sources.rule = { ...deps.sources.rule, hosts, refusedPorts: [server.port] };
      expect((await look([], { cancelUrl })).cancelRequested).toBe(false);
      expect(server.asked('ticket.json')).toBe(0);
      expect(lines.at(-1)?.['reason']).toContain('belongs to Airline itself');
    });
  });
});

describe('cancelBuilds', () => {
  it('asks for what can be cancelled now, and for nothing else', async () => {
    const standIn = await openStandIn({ architectures: ['amd64', 'riscv64'] });
    try {
      standIn.play({
        sources: {
          '*': {
            builds: {
              amd64: [{ state: 'Currently building' }],
              riscv64: [{ state: 'Successfully built' }],
            },
          },
        },
      });
      const source = await standIn.make({ architecture: 'any' });
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const publication = await standIn.publication(source);
      const running = await standIn.buildIn(publication, 'Currently building', 'amd64');
      const built = await standIn.buildIn(publication, 'Successfully built', 'riscv64');
      const { logger } = keepLog();
      const ppaClient = createPpaClient({
        rootUrl: standIn.webUrl,
        credentials: { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' },
        timeoutMs: 60_000,
        logger,
      });
      const records = [running, built].map(
        ({ self_link }) => ({ selfLink: self_link, canBeCancelled: true }) as BuildRecord,
      );

      expect(
        await runActivity(
          cancelBuilds({ ppaClient, logger, watchedByOthers: async () => new Map() }),
          { records },
        ),
      ).toEqual({
        asked: 1,
        refused: [],
      });

      await standIn.buildIn(publication, 'Cancelled build', 'amd64');
      expect(
        await runActivity(
          cancelBuilds({ ppaClient, logger, watchedByOthers: async () => new Map() }),
          { records },
        ),
      ).toEqual({
        asked: 0,
        refused: [],
      });
    } finally {
      await standIn.close();
    }
  });
});

describe('cancelBuilds, which Temporal has given up,', () => {
  const records = ['1', '2'].map(
    (id) => ({ selfLink: id, buildState: 'Currently building' }) as BuildRecord,
  );

  /** Asks for two builds, and is given up within a call of the PPA. @returns those that the PPA was asked to cancel */
  async function cancelledUntil(lastCall: 'getBuild' | 'cancel'): Promise<string[]> {
    const cancelled: string[] = [];
    let giveUp = () => {};
    const during = (call: string) => {
      if (call === lastCall) giveUp();
    };
    const ppaClient = {
      async getBuild() {
        during('getBuild');
        return { can_be_cancelled: true };
      },
      async cancel(selfLink: string, signal?: AbortSignal) {
        signal?.throwIfAborted();
        cancelled.push(selfLink);
        during('cancel');
      },
    } as unknown as ActivityDependencies['ppaClient'];
    const { logger } = keepLog();
    const cancelling = runActivity(
      cancelBuilds({ ppaClient, logger, watchedByOthers: async () => new Map() }),
      { records },
      { prepare: (environment) => (giveUp = () => environment.cancel('TIMED_OUT')) },
    );
    await expect(cancelling).rejects.toMatchObject({ name: 'CancelledFailure' });
    return cancelled;
  }

  it.each<[string, 'getBuild' | 'cancel', string[]]>([
    ['does not cancel what it has just read', 'getBuild', []],
    ['leaves the builds that are left, which a retry may have asked for by now', 'cancel', ['1']],
  ])('%s', async (_what, lastCall, cancelled) => {
    expect(await cancelledUntil(lastCall)).toEqual(cancelled);
  });
});

describe('cancelBuilds, where the PPA fails for one of two builds', () => {
  it.each([
    [401, 'says what it refused', { asked: 1, refused: [expect.stringContaining('401')] }],
    [503, 'leaves it to a later try', undefined],
  ])('with %s: it asks for the other one and %s', async (status, _what, outcome) => {
    const standIn = await openStandIn({ architectures: ['amd64', 'riscv64'] });
    try {
      standIn.play({
        sources: { '*': { builds: { '*': [{ state: 'Currently building' }] } } },
        web: [{ method: 'POST', status, count: 1 }],
      });
      const source = await standIn.make({ architecture: 'any' });
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const publication = await standIn.publication(source);
      const records: BuildRecord[] = [];
      for (const architecture of ['amd64', 'riscv64']) {
        const build = await standIn.buildIn(publication, 'Currently building', architecture);
        records.push({ selfLink: build.self_link } as BuildRecord);
      }
      const { logger } = keepLog();
      const ppaClient = createPpaClient({
        rootUrl: standIn.webUrl,
        credentials: { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' },
        timeoutMs: 60_000,
        logger,
      });

      const cancelling = runActivity(
        cancelBuilds({ ppaClient, logger, watchedByOthers: async () => new Map() }),
        { records },
      );

      if (outcome) expect(await cancelling).toEqual(outcome);
      else await expect(cancelling).rejects.toMatchObject({ name: 'PpaUnavailableError' });
      await standIn.buildIn(publication, 'Cancelled build', 'riscv64');
    } finally {
      await standIn.close();
    }
  });
});
