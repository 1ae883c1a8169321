import { openDatabase } from '../../../models/database.ts';
import { query } from '../../../models/sql/query.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { addBuild, dispatchDue } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

it('a process dispatches on when a later version has given builds a column: its statement is prepared', async () => {
  // One connection, which has the statement prepared after a few times.
  const earlier = openDatabase(database.url, 1);
  const dispatched: number[] = [];
  const dispatchNext = () =>
    dispatchDue(earlier, 1, async ({ id }) => {
      dispatched.push(id);
    });
  try {
    const builds = [];
    for (let count = 0; count < 7; count++) builds.push(await addBuild(database.now));
    for (let count = 0; count < 6; count++) await dispatchNext();
    expect(
      await query(
        earlier.sequelize,
        "SELECT FROM pg_prepared_statements WHERE statement LIKE '%FOR UPDATE SKIP LOCKED%'",
      ),
    ).toHaveLength(1);

    await query(database.now.sequelize, 'ALTER TABLE build ADD COLUMN of_a_later_version text');

    expect(await dispatchNext()).toBe(1);
    expect(dispatched).toEqual(builds.map(({ id }) => id));
    expect(await builds[6]?.reload()).toMatchObject({ dispatchedAt: expect.any(Date) });
  } finally {
    await earlier.close();
  }
});

it('a build that a process has started whose clock is behind counts among those that no worker has taken yet', async () => {
  const { Build } = database.now;
  const counted = await Build.countUntaken(300_000, 100);
  await addBuild(database.now);
  fakeDate(Date.now() - 360_000);
  try {
    await dispatchDue(database.now, 100, async () => {});
  } finally {
    jest.useRealTimers();
  }
  expect(await Build.countUntaken(300_000, 100)).toBe(counted + 1);
});
