import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

const BUILT = {
  sources: { '*': { builds: { '*': [{ state: 'Successfully built', binaries: true }] } } },
};

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ script: BUILT });
});
afterAll(() => standIn.close());
beforeEach(() => standIn.play(BUILT));

const upload = async (name: string, version = '1.0', files = {}): Promise<Entry> => {
  const source = await standIn.make({ name, version, files });
  await standIn.upload(source.files);
  return standIn.publication(source);
};
/** Uploads a package, and waits until apt could install it. */
const publish = async (name: string): Promise<Entry> => {
  const publication = await upload(name);
  await standIn.untilPublished(publication);
  return publication;
};
const binariesOf = (publication: Entry) =>
  standIn.entries(publication.self_link, 'getPublishedBinaries', { active_binaries_only: 'false' });
const entry = async ({ self_link }: Entry) =>
  (await (await standIn.read(self_link)).json()) as Entry;
const index = async (path: string) =>
  (await standIn.read(`${standIn.webUrl}/apt/me/test/debian/dists/bookworm/main/${path}`)).text();
const rejection = (version: string) =>
  until(
    'a rejection',
    () => standIn.rejections().find(({ changes }) => changes.includes(`_${version}_source`))?.why,
  );

it('a deleted source goes with its packages: at once in the records, next round from the indexes', async () => {
  const publication = await publish('goes');
  const kept = await publish('stays');
  expect(await index('binary-amd64/Packages')).toMatch(/^Package: goes$/m);

  const answer = await standIn.post(publication.self_link, 'requestDeletion', 'a-token', {
    removal_comment: '"not wanted"',
  });

  expect([answer.status, await answer.text()]).toEqual([200, 'null']);
  expect(await entry(publication)).toMatchObject({
    status: 'Deleted',
    removal_comment: 'not wanted',
    date_superseded: expect.any(String),
  });
  expect(await binariesOf(publication)).toMatchObject([{ status: 'Deleted' }]);
  expect(await standIn.entries(publication.self_link, 'getPublishedBinaries')).toEqual([]);
  await until('the publisher', async () => (await entry(publication))['date_removed'] !== null);
  expect(await index('binary-amd64/Packages')).not.toMatch(/^Package: goes$/m);
  expect(await index('source/Sources')).not.toMatch(/^Package: goes$/m);
  expect(await index('source/Sources')).toMatch(/^Package: stays$/m);
  expect((await entry(kept))['status']).toBe('Published');
});

it('a package is deleted by itself, and its source stays', async () => {
  const publication = await publish('half');
  const [binary] = (await binariesOf(publication)) as [Entry];
  expect((await standIn.post(binary.self_link, 'requestDeletion', '')).status).toBe(401);
  expect((await standIn.post(binary.self_link, 'requestDeletion')).status).toBe(200);
  expect(await entry(binary)).toMatchObject({ status: 'Deleted' });
  await until('the publisher', async () => (await entry(binary))['date_removed'] !== null);
  expect(await index('binary-amd64/Packages')).not.toMatch(/^Package: half$/m);
  expect(await index('source/Sources')).toMatch(/^Package: half$/m);
  expect((await entry(publication))['status']).toBe('Published');
});

it('what was deleted stays in the indexes for as long as the script says', async () => {
  const publication = await publish('lingers');
  standIn.play({ ...BUILT, deletions: { lingers: { afterMs: 86_400_000 } } });
  await standIn.post(publication.self_link, 'requestDeletion');
  await publish('comes-after');
  expect(await index('binary-amd64/Packages')).toMatch(/^Package: lingers$/m);
  expect(await entry(publication)).toMatchObject({ status: 'Deleted', date_removed: null });
});

it('a version that was there is refused for ever, a lower one is not', async () => {
  const publication = await upload('reused', '7.2');
  await standIn.post(publication.self_link, 'requestDeletion');
  const again = await standIn.make({ name: 'reused', version: '7.2', files: { more: 'x' } });
  await standIn.upload(again.files);
  expect(await rejection('7.2')).toMatch(/already exists in ~me\/debian\/test|already accepted/);
  expect((await upload('reused', '7.1'))['source_package_version']).toBe('7.1');
});

it('a build that has not begun never does', async () => {
  standIn.play({ sources: { waits: { builds: { '*': [{ state: 'Dependency wait' }] } } } });
  const publication = await upload('waits');
  await standIn.buildIn(publication, 'Dependency wait');
  await standIn.post(publication.self_link, 'requestDeletion');
  await standIn.buildIn(publication, 'Build for superseded Source');
});

it('is refused without the permission, and where the script says so', async () => {
  const publication = await upload('protected');
  expect((await standIn.post(publication.self_link, 'requestDeletion', '')).status).toBe(401);
  standIn.play({
    people: { other: { tokens: ['of-other'] }, me: { tokens: ['of-me'], keys: [] } },
    deletions: { protected: { refused: "Cannot delete publications from suite 'bookworm'" } },
  });
  const other = await standIn.post(publication.self_link, 'requestDeletion', 'of-other');
  expect([other.status, await other.text()]).toEqual([
    401,
    expect.stringMatching(/launchpad.Edit/),
  ]);
  const own = await standIn.post(publication.self_link, 'requestDeletion', 'of-me');
  expect([own.status, await own.text()]).toEqual([
    400,
    "Cannot delete publications from suite 'bookworm'",
  ]);
  expect((await entry(publication))['status']).not.toBe('Deleted');
});
