import { shownToOthers, watchedByOthers } from '../../../activities/ppa/watched-by-others.ts';
import type { BuildRecord } from '../../../domain/builds/build-state.ts';
import { addBuild, report, retryBuild } from '../../support/rows.ts';
import { useDatabase } from '../../models/use-database.ts';

const database = useDatabase(4);

const SELF_LINK = 'http://127.0.0.1:1/+build/1';
let sources = 0;
const newName = () => `shared-${++sources}`;

/** Two requests for the same version in the same PPA, and who else waits for it where one of them is stopped. */
async function twoForTheSame(name = newName()) {
  const sourcePackages = [`http://127.0.0.1/${name}_1.0-1_source.changes`];
  const first = await addBuild(database.now, { sourcePackages });
  const second = await addBuild(database.now, { sourcePackages });
  const record = { package: name, version: '1.0-1', selfLink: SELF_LINK } as BuildRecord;
  const find = watchedByOthers({ database: database.now });
  return {
    first,
    second,
    othersFor: async ({ id }: { id: number }) => (await find(id, [record])).get(SELF_LINK),
  };
}

it('finds the request that waits for the same, and none for the one that is stopped after it', async () => {
  const { first, second, othersFor } = await twoForTheSame();
  expect(await othersFor(first)).toBe(second.id);
  expect(await othersFor(second)).toBeUndefined();
  expect(await othersFor(first)).toBeUndefined();
});

it.each([
  ['in another PPA', { ppa: 'ppa:airline/rebuild' }, '1.0-1'],
  ['for another version', {}, '0.9-1'],
])('finds the request behind any number of those %s', async (_, fields, version) => {
  const name = newName();
  const sourcePackages = [`http://127.0.0.1/${name}_${version}_source.changes`];
  for (let older = 0; older < 101; older += 1)
    await addBuild(database.now, { sourcePackages, ...fields });
  const { first, second, othersFor } = await twoForTheSame(name);
  expect(await othersFor(first)).toBe(second.id);
});

it('leaves it to at least one of two that are stopped at the same time', async () => {
  const { first, second, othersFor } = await twoForTheSame();
  const others = await Promise.all([first, second].map(othersFor));
  expect(others).toContain(undefined);
});

it('finds a request again that was stopped and is retried', async () => {
  const { first, second, othersFor } = await twoForTheSame();
  await othersFor(second);
  await report(database.now, second, 'FAILURE');
  expect(await othersFor(first)).toBeUndefined();
  await retryBuild(database.now, second);
  expect(await othersFor(first)).toBe(second.id);
});

it('takes the mark for no sign that the build gets on', async () => {
  const { first, othersFor } = await twoForTheSame();
  const { updatedAt } = first;
  await othersFor(first);
  expect(await first.reload()).toMatchObject({ updatedAt, stoppingSince: expect.any(Date) });
});

it('on behalf of a request that goes on, finds the one that the PPA has shown its builds', async () => {
  const name = newName();
  const { first, second } = await twoForTheSame(name);
  const record = { package: name, version: '1.0-1', selfLink: SELF_LINK };
  const find = shownToOthers({ database: database.now });
  expect(await find(first.id, [record])).toEqual(new Map());
  await report(database.now, second, 'INPROGRESS');
  expect(await find(first.id, [record])).toEqual(new Map([[SELF_LINK, second.id]]));
  expect(await first.reload()).toMatchObject({ stoppingSince: null });
});
