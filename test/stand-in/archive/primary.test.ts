import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

let standIn: OwnStandIn;
let primary: string;
beforeAll(async () => {
  standIn = await openStandIn();
  primary = standIn.archiveUrl('debian/+archive/primary');
});
afterAll(() => standIn.close());
beforeEach(() => standIn.play({}));

const read = async (url: string) => (await (await standIn.read(url)).json()) as Entry;
const sources = (parameters: Record<string, string> = {}) =>
  standIn.entries(primary, 'getPublishedSources', parameters);

it('is there for each distribution, empty, and found by reference and by its distribution', async () => {
  const archive = await read(primary);
  expect(archive).toMatchObject({ name: 'primary', reference: 'debian', self_link: primary });
  expect(await sources()).toEqual([]);
  const byReference = await standIn.call(`${standIn.webUrl}/devel/archives`, 'getByReference', {
    reference: '"debian"',
  });
  expect(byReference).toEqual(archive);
  const debian = await read(`${standIn.webUrl}/devel/debian`);
  expect(debian['main_archive_link']).toBe(primary);
  expect((await standIn.read(standIn.archiveUrl('plan9/+archive/primary'))).status).toBe(404);
});

it('has what the script says that others published there, by suite', async () => {
  const published = (version: string, pocket: 'Release' | 'Proposed') => ({
    source: 'hello',
    version,
    series: 'bookworm',
    pocket,
  });
  const inRelease = [published('2.0', 'Release'), published('2.1', 'Release')];
  standIn.play({
    archives: { debian: { published: [...inRelease, published('3.0', 'Proposed')] } },
  });
  const seen = async (pocket: string) =>
    (await sources({ pocket, source_name: 'hello', exact_match: 'true' })).map(
      (one) => `${String(one['source_package_version'])} ${String(one['status'])}`,
    );
  await until('the publisher', async () => (await seen('Proposed')).includes('3.0 Published'));
  expect(await seen('Release')).toEqual(['2.1 Published', '2.0 Superseded']);
  const release = await (
    await standIn.read(`${standIn.webUrl}/archive/debian/dists/bookworm-proposed/InRelease`)
  ).text();
  expect(release).toMatch(/^Suite: bookworm-proposed$/m);
  expect(release).toMatch(/^Codename: bookworm$/m);
  const path = '/archive/debian/dists/bookworm-proposed/../../../../../signing/secret.asc';
  expect((await standIn.read(`${standIn.webUrl}${path.replaceAll('..', '%2e%2e')}`)).status).toBe(
    404,
  );
});
