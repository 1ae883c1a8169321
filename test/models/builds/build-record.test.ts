import { failureOf } from '../../../domain/builds/failure.ts';
import type { ArchitectureBuild, WorkerMessage } from '../../../domain/builds/progress.ts';
import type { FailureClass } from '../../../domain/builds/failure.ts';
import type { Build } from '../../../models/builds/build.ts';
import { migrate } from '../../../models/sql/migrate.ts';
import { addBuild, architectureBuild, retryBuild } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const AT = Date.parse('2026-05-04T12:00:00Z');
const time = (seconds: number) => new Date(AT + seconds * 1_000).toISOString();

/** What the PPA shows of hello on an architecture. */
function shown(architecture: string, changes: Partial<ArchitectureBuild> = {}): ArchitectureBuild {
  return architectureBuild({ architecture, started_at: time(0), built_at: time(90), ...changes });
}
const failed = { buildstate: 'Failed to build', state: 'failed' } as const;
const waiting = {
  buildstate: 'Needs building',
  state: 'waiting',
  started_at: null,
  built_at: null,
} as const;

async function end(
  build: Build,
  message: WorkerMessage,
  builds: ArchitectureBuild[] | undefined,
  failureClass: FailureClass = 'build_failed',
): Promise<void> {
  await database.now.ProgressEvent.record({
    buildId: build.id,
    attempt: (await build.reload()).attempt,
    key: 'final',
    message,
    ...(builds ? { builds } : {}),
    ...(message === 'FAILURE' ? { failure: failureOf(failureClass, 'it did not work') } : {}),
  });
}

async function recordsOf({ id }: Build) {
  const [rows] = await database.now.sequelize.query(
    `SELECT attempt, package, version, architecture, series, ppa, state, duration_ms
     FROM build_record WHERE build_id = ${id} ORDER BY attempt, package, architecture`,
  );
  return rows as { attempt: number; architecture: string; state: string; duration_ms: number }[];
}
const inShort = async (build: Build) =>
  (await recordsOf(build)).map((row) => [
    row.attempt,
    row.architecture,
    row.state,
    row.duration_ms,
  ]);

describe('the records of a build', () => {
  it('are kept when an attempt ends, and not before', async () => {
    const build = await addBuild(database.now);
    const builds = [shown('amd64')];
    await database.now.ProgressEvent.record({
      buildId: build.id,
      key: 'look',
      message: 'INPROGRESS',
      builds,
    });
    expect(await recordsOf(build)).toEqual([]);
    await end(build, 'COMPLETE', builds);
    const record = {
      attempt: 1,
      package: 'hello',
      version: '2.10-3',
      architecture: 'amd64',
      series: 'bookworm',
      ppa: 'ppa:airline/demo',
      state: 'completed',
      duration_ms: 90_000,
    };
    expect(await recordsOf(build)).toEqual([record]);
    const [[row]] = await database.now.sequelize.query(
      `SELECT build.finished_at = build_record.finished_at AS same FROM build
       JOIN build_record ON build_id = id WHERE id = ${build.id}`,
    );
    expect(row).toEqual({ same: true });
    await end(build, 'COMPLETE', builds);
    expect(await recordsOf(build)).toEqual([record]);
  });

  it('say what became of each', async () => {
    const build = await addBuild(database.now);
    await end(build, 'FAILURE', [
      shown('amd64'),
      shown('arm64', { ...failed, built_at: time(30) }),
      shown('armhf', { buildstate: 'Cancelled build', state: 'failed', started_at: null }),
      shown('i386', { ...waiting, buildstate: 'Dependency wait', state: 'dependency_wait' }),
      shown('riscv64', waiting),
      shown('s390x', { built_at: null }),
    ]);
    expect(await inShort(build)).toEqual([
      [1, 'amd64', 'completed', 90_000],
      [1, 'arm64', 'failed', 30_000],
      [1, 'armhf', 'cancelled', null],
      [1, 'i386', 'failed', null],
      [1, 'riscv64', 'failed', null],
      [1, 's390x', 'completed', null],
    ]);
  });

  it('are cancelled with their attempt where they had not ended', async () => {
    const build = await addBuild(database.now);
    const builds = [shown('amd64'), shown('arm64', failed), shown('armhf', waiting)];
    await end(build, 'FAILURE', builds, 'cancelled');
    expect((await recordsOf(build)).map(({ state }) => state)).toEqual([
      'completed',
      'failed',
      'cancelled',
    ]);
  });

  it('are not there for a build that the PPA never showed', async () => {
    const build = await addBuild(database.now);
    await end(build, 'FAILURE', undefined, 'invalid_source');
    expect(await recordsOf(build)).toEqual([]);
  });

  it('are those that a retry has made: what was built, or left as it was, counts once', async () => {
    const build = await addBuild(database.now);
    await end(build, 'FAILURE', [shown('amd64'), shown('arm64', failed)]);
    await retryBuild(database.now, build);
    // It ends before the PPA has begun again, and shows what the attempt before it left.
    await end(build, 'FAILURE', undefined, 'timed_out');
    await retryBuild(database.now, build);
    const again = { started_at: time(200), built_at: time(260) };
    await end(build, 'COMPLETE', [shown('amd64'), shown('arm64', again)]);
    expect(await inShort(build)).toEqual([
      [1, 'amd64', 'completed', 90_000],
      [1, 'arm64', 'failed', 90_000],
      [3, 'arm64', 'completed', 60_000],
    ]);
  });

  it.each([
    ['no time', { started_at: 'soon', built_at: time(1) }, null],
    ['an end before the start', { started_at: time(2), built_at: time(1) }, null],
    ['no times at all', { started_at: undefined, built_at: undefined }, null],
    ['a century', { started_at: time(0), built_at: '2126-05-04T12:00:00.000Z' }, 2 ** 31 - 1],
  ])('take %s for what it is', async (_, times, durationMs) => {
    const build = await addBuild(database.now);
    await end(build, 'COMPLETE', [shown('amd64', times as Partial<ArchitectureBuild>)]);
    expect(await inShort(build)).toEqual([[1, 'amd64', 'completed', durationMs]]);
  });
});

describe('builds from before there were records', () => {
  it('get theirs from what was kept, with durations as the events saw them', async () => {
    const { sequelize } = database.now;
    const build = await addBuild(database.now);
    const old = (architecture: string, changes: Partial<ArchitectureBuild>) => {
      const { started_at: _, built_at: __, ...rest } = shown(architecture, changes);
      return rest;
    };
    const building = { buildstate: 'Currently building', state: 'building' } as const;
    const report = (attempt: number, key: string, builds: ArchitectureBuild[]) =>
      database.now.ProgressEvent.record({
        buildId: build.id,
        attempt,
        key,
        message: 'INPROGRESS',
        builds,
      });
    const cancelled = { buildstate: 'Cancelled build', state: 'failed' } as const;
    await report(1, 'first', [old('amd64', building), old('arm64', building)]);
    await end(build, 'FAILURE', [old('amd64', {}), old('arm64', failed), old('armhf', cancelled)]);
    await retryBuild(database.now, build);
    await report(2, 'second', [old('amd64', {}), old('arm64', building)]);
    await end(build, 'COMPLETE', [old('amd64', {}), old('arm64', {})]);
    // There was no event of the acceptance then.
    await database.now.ProgressEvent.destroy({ where: { buildId: build.id, key: 'accepted' } });
    // Ten seconds from each event to the next.
    await sequelize.query(
      `UPDATE progress_event SET created_at = timestamptz '2026-05-04T12:00:00Z' + seq * interval '10 seconds'
       WHERE build_id = ${build.id}`,
    );
    await sequelize.query(`DROP TABLE build_record;
      DROP INDEX build_by_request, build_by_end, build_attempt_by_request, build_attempt_by_end;
      DELETE FROM migration WHERE name = '0011-build-records.sql'`);
    expect(await migrate(database.url)).toEqual(['0011-build-records.sql']);
    expect(await inShort(build)).toEqual([
      [1, 'amd64', 'completed', 10_000],
      [1, 'arm64', 'failed', 10_000],
      [1, 'armhf', 'cancelled', null],
      [2, 'arm64', 'completed', 10_000],
    ]);
  });
});
