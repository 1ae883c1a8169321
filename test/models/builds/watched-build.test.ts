import { addBuild } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase(2);

/** A build that is watched, and has polled by itself so often before. */
async function joined(polls?: number): Promise<number> {
  const { id: buildId, attempt, workflowId } = await addBuild(database.now);
  await database.now.WatchedBuild.join(
    {
      buildId,
      attempt,
      workflowId,
      ppa: '~airline/debian/demo',
      cancelUrl: null,
      accepted: true,
      records: [],
      request: {
        ppa: { owner: 'airline', distribution: 'debian', name: 'demo' },
        series: 'bookworm',
        packages: [],
        awaitPublication: false,
        hasLater: false,
        knowsFailure: false,
        acceptanceMs: 60_000,
        dependencyWaitMs: 60_000,
        ...(polls === undefined ? {} : { polls }),
      },
    },
    { uploadedMs: 0, dependencyWaitedMs: null },
  );
  return buildId;
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
