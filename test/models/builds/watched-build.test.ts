import type { WatchRequest } from '../../../domain/builds/ppa-watch.ts';
import { addBuild, report, retryBuild } from '../../support/rows.ts';
import { joinWatch } from '../../support/watched-build.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase(2);

/** A build that is watched, and has polled by itself so often before. */
async function joined(polls?: number): Promise<number> {
  const build = await addBuild(database.now);
  await join(build, polls, 0);
  return build.id;
}

/** @param polls how often it has polled by itself before */
function join(
  build: Parameters<typeof joinWatch>[1],
  polls: number | undefined,
  uploadedMs: number,
  packages: WatchRequest['packages'] = [],
): Promise<void> {
  const counted = polls === undefined ? {} : { polls };
  return joinWatch(database.now, build, { uploadedMs, packages, ...counted });
}

it.each([
  ['a late try of the poll before it joined', 10, 10, true],
  ['a poll long before', 10, 9, true],
  ['its next poll', 9, 10, false],
  ['a poll without a number', 10, Infinity, false],
  ['its first poll, where it was joined by earlier code', undefined, 1, false],
])('after %s, a build is watched or not', async (_what, polls, poll, isWatched) => {
  const buildId = await joined(polls);
  await database.now.WatchedBuild.leave(buildId, 1, poll);
  expect((await database.now.WatchedBuild.findByPk(buildId)) !== null).toBe(isWatched);
});

it('leaves alone a build of another attempt', async () => {
  const buildId = await joined(0);
  await database.now.WatchedBuild.leave(buildId, 2, 1);
  expect(await database.now.WatchedBuild.findByPk(buildId)).not.toBeNull();
});

it('knows which packages of an attempt were sent', async () => {
  const { WatchedBuild } = database.now;
  const build = await addBuild(database.now);
  const one = { source: 'one', version: '1.0' };
  const hasSent = (what: typeof one, attempt = 1) =>
    WatchedBuild.hasSent({ buildId: build.id, attempt }, what);
  expect(await hasSent(one)).toBe(false);
  await join(build, 0, 0, [one]);
  expect(await hasSent(one)).toBe(true);
  expect(await hasSent({ ...one, version: '2.0' })).toBe(false);
  expect(await hasSent({ ...one, source: 'other' })).toBe(false);
  expect(await hasSent(one, 2)).toBe(false);
});

describe('a worker that was frozen joins late', () => {
  const one = { source: 'one', version: '1.0' };
  const other = { source: 'other', version: '1.0' };

  it('for an earlier attempt: the later one stays watched', async () => {
    const build = await addBuild(database.now);
    const { WatchedBuild } = database.now;
    await report(database.now, build, 'FAILURE');
    await retryBuild(database.now, build);
    await join(await build.reload(), 1, 0);
    build.set({ attempt: 1 });
    await join(build, 5, 0);
    expect(await WatchedBuild.findByPk(build.id)).toMatchObject({ attempt: 2 });
  });

  it.each([
    ['fewer packages', 3, [one]],
    ['fewer polls of its own', 2, [one, other]],
  ])('with %s: the later request stays watched', async (_what, polls, packages) => {
    const build = await addBuild(database.now);
    await join(build, 3, 0, [one, other]);
    await join(build, polls, 0, packages);
    expect(await database.now.WatchedBuild.findByPk(build.id)).toMatchObject({
      request: { polls: 3, packages: [one, other] },
    });
  });

  it('unlike one that has polled again, or goes on with the next level of its order', async () => {
    const build = await addBuild(database.now);
    const { WatchedBuild } = database.now;
    await join(build, 3, 0, [one]);
    await join(build, 4, 0, [one]);
    expect(await WatchedBuild.findByPk(build.id)).toMatchObject({ request: { polls: 4 } });
    await join(build, 4, 0, [one, other]);
    expect(await WatchedBuild.findByPk(build.id)).toMatchObject({
      request: { packages: [one, other] },
    });
  });
});

it.each([
  ['a PPA that was quiet is no older than an upload', '7 days', 1_000, [1_000, 60_000]],
  ['a PPA that nobody polls grows, whoever joins again', '1 h', 7.2e6, [3.6e6, 3.7e6]],
])(
  'the age of the last poll of %s',
  async (_what, polledAgo, uploadedMs, [least = 0, most = 0]) => {
    const { PpaWatch, WatchedBuild, sequelize } = database.now;
    await WatchedBuild.destroy({ where: {} });
    const build = await addBuild(database.now);
    await join(build, 1, uploadedMs);
    await sequelize.query(`UPDATE ppa_watch SET round_at = now() - interval '${polledAgo}'`);
    await WatchedBuild.leave(build.id, build.attempt, 2);
    await join(build, 2, uploadedMs);
    const { oldestRoundAt, at } = await PpaWatch.countWatched();
    const ageMs = at.getTime() - (oldestRoundAt?.getTime() ?? 0);
    expect(ageMs).toBeGreaterThanOrEqual(least);
    expect(ageMs).toBeLessThan(most);
  },
);
