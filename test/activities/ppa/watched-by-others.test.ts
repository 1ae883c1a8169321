import { shownToOthers, watchedByOthers } from '../../../activities/ppa/watched-by-others.ts';
import type { BuildPhase } from '../../../domain/builds/build-phase.ts';
import type { BuildRecord } from '../../../domain/builds/build-state.ts';
import { architectureBuilds, messageOfPhase } from '../../../domain/builds/progress.ts';
import { addBuild, report, retryBuild } from '../../support/rows.ts';
import { useDatabase } from '../../models/use-database.ts';

const database = useDatabase(4);

const SELF_LINK = 'http://127.0.0.1:1/+build/1';
let sources = 0;
const newName = () => `shared-${++sources}`;

/** Has a build come into a phase. */
async function enter(build: { id: number; attempt: number }, phase: BuildPhase): Promise<void> {
  const { attempt } = build;
  const message = messageOfPhase(phase);
  if (message) await report(database.now, build, message, { attempt, key: phase, phase });
}

/**
 * Two requests for the same version in the same PPA, which wait there, and who else waits for it where one of them is
 * stopped.
 */
async function twoForTheSame(name = newName(), phase: BuildPhase = 'accepting') {
  const sourcePackages = [`http://127.0.0.1/${name}_1.0-1_source.changes`];
  const first = await addBuild(database.now, { sourcePackages });
  const second = await addBuild(database.now, { sourcePackages });
  await enter(first, 'building');
  await enter(second, phase);
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
  ['for another series', { series: 'trixie' }, '1.0-1'],
])('finds the request behind any number of those %s', async (_, fields, version) => {
  const name = newName();
  const sourcePackages = [`http://127.0.0.1/${name}_${version}_source.changes`];
  for (let older = 0; older < 101; older += 1)
    await addBuild(database.now, { sourcePackages, ...fields });
  const inPpa = { phase: 'accepting', state: 'accepting' } as const;
  await database.now.Build.update(inPpa, { where: { packageNames: [name] } });
  const { first, second, othersFor } = await twoForTheSame(name);
  expect(await othersFor(first)).toBe(second.id);
});

it.each<[string, BuildPhase, boolean]>([
  ['no request in the queue', 'queued', false],
  ['none whose source is yet to be made', 'merging', false],
  ['none whose sources are being checked', 'checking', false],
  ['none that looks what of it is to be uploaded', 'uploading', false],
  ['one that waits until the PPA shows the upload', 'accepting', true],
  ['one that waits for a builder', 'waiting_for_builder', true],
  ['one that the PPA builds', 'building', true],
  ['one that waits for its dependencies', 'dependency_wait', true],
  ['one that waits until what it needs is published', 'prerequisite_wait', true],
  ['none that has its verdict', 'collecting', false],
])('finds %s', async (_, phase, isFound) => {
  const { first, second, othersFor } = await twoForTheSame(newName(), phase);
  expect(await othersFor(first)).toBe(isFound ? second.id : undefined);
});

it('finds one that uploads once it has sent something itself', async () => {
  const { first, second, othersFor } = await twoForTheSame(newName(), 'uploading');
  const sent = { package: 'another 1.0-1', sent_bytes: 100, total_bytes: 100 };
  await database.now.Build.recordUpload({ buildId: second.id, attempt: 1 }, sent);
  expect(await othersFor(first)).toBe(second.id);
});

it('finds one with an order for what it has uploaded, and not for what it uploads later', async () => {
  const [now, later] = [newName(), newName()];
  const sourcePackages = [now, later].map((one) => `http://127.0.0.1/${one}_1_source.changes`);
  const first = await addBuild(database.now, { sourcePackages });
  const second = await addBuild(database.now, { sourcePackages, order: 'dependencies' });
  const shown = { version: '1', after: [] };
  await report(database.now, second, 'INPROGRESS', {
    phase: 'building',
    sequence: [
      { ...shown, package: now, level: 0, state: 'uploaded' },
      { ...shown, package: later, level: 1, state: 'waiting' },
    ],
  });
  const records = [now, later].map((one) => ({
    package: one,
    version: '1',
    selfLink: one,
    webLink: one,
  }));
  const find = watchedByOthers({ database: database.now });
  expect(await find(first.id, records)).toEqual(new Map([[now, second.id]]));
});

it('finds one for another series where the PPA has shown it that very build', async () => {
  const name = newName();
  const sourcePackages = [`http://127.0.0.1/${name}_1.0-1_source.changes`];
  const first = await addBuild(database.now, { sourcePackages });
  const other = await addBuild(database.now, { sourcePackages, series: 'trixie' });
  const records = ['amd64', 'arm64'].map((architecture) => ({
    package: name,
    version: '1.0-1',
    architecture,
    buildState: 'Currently building',
    selfLink: `http://127.0.0.1:1/+build/${architecture}`,
    webLink: `http://127.0.0.1:2/+build/${architecture}`,
  })) as BuildRecord[];
  await report(database.now, other, 'INPROGRESS', {
    phase: 'building',
    builds: architectureBuilds(records.slice(0, 1)),
  });
  const found = new Map([['http://127.0.0.1:1/+build/amd64', other.id]]);
  expect(await shownToOthers({ database: database.now })(first.id, records)).toEqual(found);
  expect(await watchedByOthers({ database: database.now })(first.id, records)).toEqual(found);
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
  const retried = await retryBuild(database.now, second);
  expect(await othersFor(first)).toBeUndefined();
  if (retried) await enter(retried, 'accepting');
  expect(await othersFor(first)).toBe(second.id);
});

it('takes the mark for no sign that the build gets on', async () => {
  const { first, othersFor } = await twoForTheSame();
  const { updatedAt } = await first.reload();
  await othersFor(first);
  expect(await first.reload()).toMatchObject({ updatedAt, stoppingSince: expect.any(Date) });
});

it('on behalf of a request that goes on, finds the one that the PPA has shown its builds', async () => {
  const name = newName();
  const { first, second } = await twoForTheSame(name);
  const record = { package: name, version: '1.0-1', selfLink: SELF_LINK, webLink: SELF_LINK };
  const find = shownToOthers({ database: database.now });
  expect(await find(first.id, [record])).toEqual(new Map());
  await report(database.now, second, 'INPROGRESS');
  expect(await find(first.id, [record])).toEqual(new Map([[SELF_LINK, second.id]]));
  expect(await first.reload()).toMatchObject({ stoppingSince: null });
});
