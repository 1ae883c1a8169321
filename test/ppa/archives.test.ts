import pino from 'pino';
import { createPpaClient } from '../../ppa/client.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import { until } from '../support/until.ts';

const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
const PRIMARY = { distribution: 'debian' };
const SCRIPT = {
  sources: { '*': { builds: { '*': [{ state: 'Successfully built', binaries: true }] } } },
};

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn();
});
afterAll(() => standIn.close());
beforeEach(() => standIn.play(SCRIPT));

const client = (accessToken = 'a-token') =>
  createPpaClient({
    rootUrl: standIn.webUrl,
    credentials: { consumerKey: 'test', accessToken, accessSecret: 'secret' },
    timeoutMs: 60_000,
    logger: pino({ level: 'silent' }),
  });
const place = (source: string) => ({
  archive: PRIMARY,
  series: 'bookworm',
  pocket: 'Proposed' as const,
  source,
  version: '1.0',
});
/** Uploads a package to the PPA, and gives its publication there when it is built. */
const build = async (name: string): Promise<string> => {
  const source = await standIn.make({ name });
  await standIn.upload(source.files);
  const publication = await standIn.publication(source);
  await standIn.buildIn(publication, 'Successfully built');
  return publication.self_link;
};

it('copies a tested source, finds it published with what was tested, and empties the PPA', async () => {
  const origin = await build('landed');
  const [tested] = await client().getBuilds(origin);
  expect(await client().publishedSource(place('landed'))).toBeUndefined();

  expect(await client().copyPackage(place('landed'), PPA)).toBeUndefined();

  const landed = await until('the copy', async () => {
    const found = await client().publishedSource(place('landed'));
    const binaries = found ? await client().getPublishedBinaries(found.self_link) : [];
    const all = [found, ...binaries];
    return (
      binaries.length > 0 &&
      all.every((one) => one?.status === 'Published') && { ...found, binaries }
    );
  });
  expect(landed).toMatchObject({ source_package_version: '1.0', status: 'Published' });
  expect(landed.binaries.map((one) => one.build_link)).toEqual([tested?.self_link]);
  expect(await client().publishedSource({ ...place('landed'), pocket: 'Release' })).toBeUndefined();
  expect(await client().heldUploads(place('landed'))).toEqual([]);
  expect(await client().deletePublication(origin, 'landed')).toBeUndefined();
  const inPpa = { ...place('landed'), archive: PPA, pocket: 'Release' as const };
  expect(await client().publishedSource(inPpa)).toMatchObject({ status: 'Deleted' });
  expect((await client().publishedSource(place('landed')))?.status).toBe('Published');
});

it('finds a copy that is held, and what became of it', async () => {
  const copies = (mood: object) => ({
    ...SCRIPT,
    copies: { held: { held: 'New', ...mood } as never },
  });
  standIn.play(copies({}));
  await build('held');
  await client().copyPackage(place('held'), PPA);
  const inQueue = (status: string) =>
    until(`the copy to be ${status}`, async () =>
      (await client().heldUploads(place('held'))).find((one) => one.status === status),
    );
  await inQueue('New');
  standIn.play(copies({ rejected: true }));
  await inQueue('Rejected');
});

it('gives the reasons of a refusal in the words of Launchpad', async () => {
  const origin = await build('refused');
  standIn.play({
    people: { other: { tokens: ['of-other'] } },
    archives: { debian: { redirectsRelease: true } },
    deletions: { refused: { refused: "Cannot delete publications from suite 'bookworm'" } },
  });
  const to = place('refused');
  expect([
    await client().copyPackage({ ...to, pocket: 'Release' }, PPA),
    await client().copyPackage({ ...to, archive: PPA }, PPA),
    await client('of-other').copyPackage(to, PPA),
    await client().copyPackage({ ...to, version: '2.0' }, PPA),
    await client().copyPackage({ ...to, series: 'sid' }, PPA),
    await client('of-other').deletePublication(origin, ''),
    await client().deletePublication(origin, ''),
  ]).toEqual([
    { said: 'Not permitted to upload directly to bookworm; try bookworm-proposed instead.' },
    { said: 'PPA uploads must be for the RELEASE pocket.' },
    { said: expect.stringMatching(/no upload rights/) },
    { said: 'refused is not published in test of me.' },
    { said: "No such distribution series: 'sid'." },
    { said: expect.stringMatching(/launchpad.Edit/) },
    { said: "Cannot delete publications from suite 'bookworm'" },
  ]);
});

it.each([
  { status: 403, body: 'The requester may not.' },
  { status: 400, body: 'refused 1.0 in bookworm (source contains expired files)' },
])('takes an answer of %o as a refusal', async (answer) => {
  standIn.play({ web: [{ method: 'POST', match: 'primary', ...answer }] });
  expect(await client().copyPackage(place('any'), PPA)).toEqual({ said: answer.body });
});

it('leaves an outage to a later try', async () => {
  standIn.play({ web: [{ method: 'POST', match: 'primary', status: 503 }] });
  await expect(client().copyPackage(place('any'), PPA)).rejects.toThrow(/503/);
});
