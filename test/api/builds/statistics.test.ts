import { throughputOperation } from '../../../api/builds/throughput.ts';
import type { Build } from '../../../models/builds/build.ts';
import { addBuild } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { serveOperations } from '../serve-operations.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const get = async (path: string) => (await world.get(path)).json;
const sql = (text: string, bind: unknown[] = []) =>
  api.now.database.sequelize.query(text, { bind });

const NOW = new Date('2026-05-04T12:34:56.789Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();

type Seed = {
  package: string;
  minutes: number;
  state?: 'completed' | 'failed' | 'cancelled';
  architecture?: string;
  version?: string;
  durationMs?: number | null;
  build?: Build;
  attempt?: number;
};

/** A record that ended so many minutes ago, of a build of its own unless it says of which. */
async function seed(record: Seed): Promise<Build> {
  const build = record.build ?? (await addBuild(api.now.database));
  await sql(
    `INSERT INTO build_record (build_id, attempt, package, version, architecture, series, ppa, state, duration_ms, finished_at)
     VALUES ($1, $2, $3, $4, $5, 'bookworm', 'ppa:airline/demo', $6, $7, $8)`,
    [
      build.id,
      record.attempt ?? 1,
      record.package,
      record.version ?? '1.0',
      record.architecture ?? 'amd64',
      record.state ?? 'completed',
      record.durationMs === undefined ? 60_000 : record.durationMs,
      minutesAgo(record.minutes),
    ],
  );
  return build;
}

describe('statistics of packages', () => {
  let latest: Build;
  let retried: Build;
  beforeAll(async () => {
    await seed({ package: 'hello', minutes: 500, durationMs: 10_000, version: '2.8' });
    await seed({ package: 'hello', minutes: 400, durationMs: 30_000, version: '2.9' });
    await seed({ package: 'hello', minutes: 300, state: 'cancelled', durationMs: null });
    retried = await seed({ package: 'hello', minutes: 200, state: 'failed', durationMs: 1 });
    await seed({ package: 'hello', minutes: 100, build: retried, attempt: 2, durationMs: 20_001 });
    latest = await seed({
      package: 'hello',
      minutes: 50,
      durationMs: null,
      version: '2.10-3',
      architecture: 'arm64',
    });
    await seed({ package: 'bash', minutes: 60, state: 'cancelled', durationMs: null });
    await world.upload({ sourcepackage: { name: 'hello' }, version: '3.0' });
    for (const version of ['5.1', '5.2'])
      await world.upload({ sourcepackage: { name: 'zsh_%' }, version });
    await world.sourcePackage({ name: '<script>' });
  });

  it('add up what the PPA has made of each', async () => {
    const { meta, objects } = await get('packagestatistics/');
    expect(meta).toEqual({ limit: 20, next: null, offset: 0, previous: null, total_count: 4 });
    expect(objects.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      '<script>',
      'bash',
      'hello',
      'zsh_%',
    ]);
    expect(objects.find(({ name }: { name: string }) => name === 'hello')).toEqual({
      name: 'hello',
      sourcepackage: expect.stringMatching(/^\/api\/v1\/sourcepackage\/\d+\/$/),
      latest_version: '2.10-3',
      builds: 6,
      succeeded: 4,
      failed: 1,
      cancelled: 1,
      success_rate: 0.8,
      median_build_ms: 20_001,
      last_build_at: minutesAgo(50),
    });
  });

  it('say what they can of a package that is no source package here, or that was never built', async () => {
    expect((await get('packagestatistics/?q=BAS')).objects).toEqual([
      {
        name: 'bash',
        sourcepackage: null,
        latest_version: '1.0',
        builds: 1,
        succeeded: 0,
        failed: 0,
        cancelled: 1,
        success_rate: null,
        median_build_ms: null,
        last_build_at: minutesAgo(60),
      },
    ]);
    expect(await get(`packagestatistics/${encodeURIComponent('zsh_%')}/`)).toMatchObject({
      latest_version: '5.2',
      builds: 0,
      success_rate: null,
      last_build_at: null,
      history: [],
    });
  });

  it.each([
    ['', 4],
    ['h', 3],
    ['%', 1],
    ['_', 1],
    ["'", 0],
    ['<SCRIPT>', 1],
    ['x'.repeat(255), 0],
  ])('are searched for by a part of the name: %#', async (q, count) => {
    const { meta } = await get(`packagestatistics/?q=${encodeURIComponent(q)}`);
    expect(meta.total_count).toBe(count);
  });

  it('come in pages', async () => {
    const first = await get('packagestatistics/?q=h&limit=1');
    expect(first.meta).toMatchObject({ total_count: 3, previous: null });
    const second = (await api.now.call('GET', first.meta.next)).json;
    expect(second.meta).toMatchObject({ total_count: 3, offset: 1, previous: expect.any(String) });
    expect([...first.objects, ...second.objects].map(({ name }) => name)).toEqual([
      'bash',
      'hello',
    ]);
    expect((await get('packagestatistics/?offset=9')).meta.total_count).toBe(4);
  });

  it('have the builds of a package, the latest first', async () => {
    const { history, ...sums } = await get('packagestatistics/hello/');
    expect(sums).toMatchObject({ builds: 6, success_rate: 0.8, median_build_ms: 20_001 });
    expect(history).toHaveLength(6);
    expect(history[0]).toEqual({
      build: `/api/v1/build/${latest.id}/`,
      attempt: 1,
      version: '2.10-3',
      series: 'bookworm',
      ppa: 'ppa:airline/demo',
      architecture: 'arm64',
      state: 'completed',
      duration_ms: null,
      finished_at: minutesAgo(50),
    });
    expect(history[1]).toMatchObject({ build: `/api/v1/build/${retried.id}/`, attempt: 2 });
    expect(history.map(({ state }: { state: string }) => state)).toEqual([
      'completed',
      'completed',
      'failed',
      'cancelled',
      'completed',
      'completed',
    ]);
  });

  it('are answered 404 for a package that nobody knows, and 400 for a text that is too long', async () => {
    for (const name of ['nothing', '..%2F', '%00', 'x'.repeat(3_000)])
      expect((await api.now.call('GET', `/api/v1/packagestatistics/${name}/`)).status).toBe(404);
    for (const q of ['x'.repeat(256), '%00'])
      expect((await api.now.call('GET', `/api/v1/packagestatistics/?q=${q}`)).status).toBe(400);
  });

  it('list at most the last 500 builds, and count all', async () => {
    const build = await addBuild(api.now.database);
    await sql(
      `INSERT INTO build_record SELECT $1, attempt, 'busy', '1', 'amd64', 's', 'p', 'completed', 600 - attempt, NULL,
         $2::timestamptz + attempt * interval '1 second' FROM generate_series(1, 510) attempt`,
      [build.id, minutesAgo(30)],
    );
    const { history, builds, median_build_ms: median } = await get('packagestatistics/busy/');
    expect({ builds, length: history.length }).toEqual({ builds: 510, length: 500 });
    expect([history[0].attempt, history.at(-1).attempt]).toEqual([510, 11]);
    // Of the last 500, which took from 90 to 589 ms.
    expect(median).toBe(340);

    await sql("DELETE FROM build_record WHERE package = 'busy' AND attempt > 10");
    expect(await get('packagestatistics/busy/')).toMatchObject({
      builds: 10,
      succeeded: 10,
      median_build_ms: 595,
    });
    await sql("DELETE FROM build_record WHERE package = 'busy'");
    expect((await api.now.call('GET', '/api/v1/packagestatistics/busy/')).status).toBe(404);
  });
});

describe('how long a build takes', () => {
  const requested = (...names: string[]) =>
    addBuild(api.now.database, {
      sourcePackages: names.map((name) => `http://127.0.0.1/${name}_1.0_source.changes`),
    });
  const expected = (build: Build) => get(`build/${build.id}/expected/`);

  it('is the median of the last 20 successful builds of the package on the architecture', async () => {
    for (let at = 1; at <= 25; at++)
      await seed({ package: 'gcc', minutes: 1_000 - at, durationMs: at * 1_000 });
    await seed({ package: 'gcc', minutes: 1, durationMs: 999_999, state: 'failed' });
    await seed({ package: 'gcc', minutes: 1, durationMs: null });
    await seed({ package: 'gcc', minutes: 900, architecture: 'arm64', durationMs: 7_000 });
    await seed({ package: 'gcc', minutes: 900, architecture: 'arm64', durationMs: 8_001 });
    const build = await requested('gcc');
    expect(await expected(build)).toEqual({
      meta: { limit: 2, next: null, offset: 0, previous: null, total_count: 2 },
      objects: [
        // From the 6th to the 25th second.
        { package: 'gcc', architecture: 'amd64', median_ms: 15_500, builds: 20 },
        { package: 'gcc', architecture: 'arm64', median_ms: 7_501, builds: 2 },
      ],
    });
  });

  it('is told for what the PPA shows, once it does', async () => {
    const build = await requested('gcc', 'newcomer');
    const one = {
      version: '1',
      buildstate: 'Needs building',
      state: 'waiting' as const,
      web_link: '',
    };
    await build.update({
      architectureBuilds: [
        { ...one, package: 'newcomer', architecture: 'amd64' },
        { ...one, package: 'gcc', architecture: 'arm64' },
      ],
    });
    expect((await expected(build)).objects).toEqual([
      { package: 'gcc', architecture: 'arm64', median_ms: 7_501, builds: 2 },
      { package: 'newcomer', architecture: 'amd64', median_ms: null, builds: 0 },
    ]);
  });

  it('does not learn from the build itself, nor from later ones', async () => {
    await seed({ package: 'dash', minutes: 100, durationMs: 1_000 });
    const build = await requested('dash');
    await seed({ package: 'dash', minutes: 50, durationMs: 5_000, build });
    await build.update({ finishedAt: new Date(minutesAgo(50)), state: 'completed' });
    await seed({ package: 'dash', minutes: 10, durationMs: 9_000 });
    expect((await expected(build)).objects).toEqual([
      { package: 'dash', architecture: 'amd64', median_ms: 1_000, builds: 1 },
    ]);
  });

  it('is unknown for what was never built, and answered 404 where there is no such build', async () => {
    const build = await requested('unheard-of');
    expect(await expected(build)).toMatchObject({ meta: { total_count: 0 }, objects: [] });
    expect((await api.now.call('GET', '/api/v1/build/999999/expected/')).status).toBe(404);
  });
});

describe('the last day', () => {
  const EMPTY = {
    accepted: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    median_build_ms: null,
    p90_build_ms: null,
    median_wait_ms: null,
    p90_wait_ms: null,
    failures: {},
  };

  it('is told hour by hour, the hour under way last', async () => {
    await sql('TRUNCATE build_record, progress_event, build_attempt, build CASCADE');
    const ended = async (
      requestedMinutes: number,
      endedMinutes: number | null,
      state: string,
      failure: string | null = null,
    ) => {
      const build = await addBuild(api.now.database);
      await sql(
        'UPDATE build SET requested_at = $2, finished_at = $3, state = $4, failure = $5 WHERE id = $1',
        [
          build.id,
          minutesAgo(requestedMinutes),
          endedMinutes === null ? null : minutesAgo(endedMinutes),
          state,
          failure && JSON.stringify({ class: failure }),
        ],
      );
      return build;
    };
    const HOUR = 60;
    await ended(1, null, 'queued');
    const built = await ended(30, 5, 'completed');
    await sql('UPDATE build SET architecture_builds = $2 WHERE id = $1', [
      built.id,
      JSON.stringify([{ started_at: minutesAgo(20) }, { started_at: minutesAgo(10) }]),
    ]);
    await ended(34, 4, 'failed', 'build_failed');
    await ended(35, 3, 'failed', 'cancelled');
    await ended(3 * HOUR, 3 * HOUR - 10, 'failed', 'timed_out');
    const again = await ended(2 * HOUR, null, 'building');
    await sql(
      `INSERT INTO build_attempt (build_id, attempt, requested_at, state, architecture_builds, logs, failure, last_seq, finished_at)
       VALUES ($1, 1, $2, 'failed', '[]', '[]', '{"class": "cancelled"}', 2, $3)`,
      [again.id, minutesAgo(23 * HOUR + 30), minutesAgo(23 * HOUR)],
    );
    // The first is the last millisecond before the day, the other its first.
    await ended(23 * 60 + 34 + 56.789 / 60 + 0.001 / 60, null, 'queued');
    await ended(23 * 60 + 34 + 56.789 / 60, null, 'queued');
    for (const [minutes, durationMs] of [
      [5, 1_000],
      [6, 3_000],
      [7, 4_001],
    ] as const)
      await seed({ package: 'hello', minutes, durationMs });
    await seed({ package: 'hello', minutes: 5, durationMs: 9, state: 'failed' });
    await sql("UPDATE build SET requested_at = '2020-01-01' WHERE requested_at > $1", [
      new Date(NOW.getTime() + 1_000).toISOString(),
    ]);

    const open = { ...throughputOperation, scope: null };
    const served = await serveOperations([open], undefined, {
      database: api.now.database,
      now: () => NOW,
    });
    const { hours } = (await (await fetch(`${served.url}/api/v1/status/history`)).json()) as {
      hours: { from: string }[];
    };
    await served.close();
    expect(hours).toHaveLength(24);
    expect(hours.map(({ from }) => from)).toEqual(
      Array.from({ length: 24 }, (_, at) =>
        new Date(Date.parse('2026-05-03T13:00:00.000Z') + at * 3_600_000).toISOString(),
      ),
    );
    const told = Object.fromEntries(
      hours.map(({ from, ...counts }) => [from.slice(8, 13), counts]),
    );
    expect(told['04T12']).toEqual({
      accepted: 3,
      completed: 1,
      failed: 1,
      cancelled: 1,
      median_build_ms: 3_000,
      p90_build_ms: 3_801,
      // One architecture was taken after 10 minutes, the other after 20.
      median_wait_ms: 15 * 60_000,
      p90_wait_ms: 19 * 60_000,
      failures: { build_failed: 1 },
    });
    expect(told['04T11']).toEqual({ ...EMPTY, accepted: 1 });
    expect(told['04T10']).toEqual({ ...EMPTY, accepted: 1 });
    expect(told['04T09']).toEqual({
      ...EMPTY,
      accepted: 1,
      failed: 1,
      failures: { timed_out: 1 },
    });
    expect(told['03T13']).toEqual({ ...EMPTY, accepted: 2, cancelled: 1 });
    expect(told['03T20']).toEqual(EMPTY);
  });

  it('ends with now', async () => {
    const { hours } = await get('status/history/');
    expect(hours).toHaveLength(24);
    const from = Date.parse(hours.at(-1).from);
    expect(Date.now() - from).toBeGreaterThanOrEqual(0);
    expect(Date.now() - from).toBeLessThan(3_660_000);
  });
});
