import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { openApt } from '../../support/apt.ts';
import type { SourceOptions } from '../../support/source-package.ts';
import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

const BUILT = { builds: { '*': [{ state: 'Successfully built', binaries: true }] } };
const FAILS = { state: 'Failed to build' };
const SCRIPT = { sources: { '*': BUILT } };

let standIn: OwnStandIn;
let primary: string;
const failures: { source: string; why: string }[] = [];
beforeAll(async () => {
  standIn = await openStandIn({
    script: SCRIPT,
    logger: pino(
      { level: 'warn' },
      {
        write: (line: string) => void failures.push(JSON.parse(line) as (typeof failures)[number]),
      },
    ),
  });
  primary = standIn.archiveUrl('debian/+archive/primary');
});
afterAll(() => standIn.close());
beforeEach(() => {
  standIn.play(SCRIPT);
  failures.length = 0;
});

const upload = async (source: Partial<SourceOptions> & { name: string }): Promise<Entry> => {
  const made = await standIn.make(source);
  await standIn.upload(made.files);
  return standIn.publication(made);
};
/** Uploads a package, and waits until it is built. */
const build = async (source: Partial<SourceOptions> & { name: string }): Promise<Entry> => {
  const publication = await upload(source);
  await standIn.buildIn(publication, 'Successfully built');
  return publication;
};
type Parameters = Record<string, string>;
/** Asks for a copy from the PPA into the primary archive. */
const ask = (name: string, parameters: Parameters = {}, target = primary, token = 'a-token') =>
  standIn.post(target, 'copyPackage', token, {
    source_name: `"${name}"`,
    version: '"1.0"',
    from_archive: `"${standIn.archiveUrl()}"`,
    to_pocket: '"Release"',
    include_binaries: 'true',
    ...parameters,
  });
const sourcesIn = (archive: string, name: string, parameters: Parameters = {}) =>
  standIn.entries(archive, 'getPublishedSources', {
    source_name: name,
    exact_match: 'true',
    ...parameters,
  });
const binariesOf = ({ self_link }: Entry) => standIn.entries(self_link, 'getPublishedBinaries');
/** The publication of a source and its packages, once apt could install them. */
const published = (name: string, archive = primary, parameters: Parameters = {}) =>
  until(`${name} to be published`, async () => {
    const [source] = await sourcesIn(archive, name, parameters);
    const binaries = source ? await binariesOf(source) : [];
    return binaries.some(({ status }) => status === 'Published') && source;
  });
/** Copies, and waits until it is published. */
const copy = async (name: string, parameters: Parameters = {}) => {
  expect((await ask(name, parameters)).status).toBe(200);
  return published(name);
};
/** Why the copy that was asked for failed, of which nobody is told. */
const whyNot = async (name: string, parameters: Parameters = {}) => {
  const answer = await ask(name, parameters);
  expect([answer.status, await answer.text()]).toEqual([200, 'null']);
  const failure = await until('the copy to fail', () =>
    failures.find(({ source }) => source === name),
  );
  return failure.why;
};
const text = async (url: string) => (await standIn.read(url)).text();

it('copies a source with its packages, which stay those of the build in the PPA', async () => {
  const origin = await build({ name: 'tested' });
  const [tested] = await standIn.entries(origin.self_link, 'getBuilds');

  const answer = await ask('tested', { to_pocket: '"Proposed"', to_series: '"bookworm"' });

  expect([answer.status, await answer.text()]).toEqual([200, 'null']);
  const landed = await published('tested', primary, { pocket: 'Proposed' });
  expect(landed).toMatchObject({ pocket: 'Proposed', archive_link: primary });
  expect(await sourcesIn(primary, 'tested', { pocket: 'Release' })).toEqual([]);
  const [binary] = await binariesOf(landed);
  expect(binary).toMatchObject({
    build_link: tested?.self_link,
    archive_link: primary,
    pocket: 'Proposed',
    status: 'Published',
    distro_arch_series_link: `${standIn.webUrl}/devel/debian/bookworm/amd64`,
  });
  expect(
    (await standIn.entries(landed.self_link, 'getBuilds')).map(({ self_link }) => self_link),
  ).toEqual([tested?.self_link]);
  const folder = join(standIn.directory, 'apt');
  const apt = await openApt(folder, {
    uri: `${standIn.webUrl}/archive/debian`,
    suite: 'bookworm-proposed',
    key: await text(`${standIn.webUrl}/apt/signing-key.asc`),
    architecture: 'amd64',
  });
  await apt('download', 'tested');
  await apt('source', '--download-only', 'tested');
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['tested_1.0_amd64.deb', 'tested_1.0.dsc', 'tested_1.0.tar.xz']),
  );
  const changes = (await standIn.call(landed.self_link, 'changesFileUrl')) as string;
  expect(await text(changes)).toMatch(/^Source: tested$/m);
  // Once more is no fault, and changes nothing.
  await ask('tested', { to_pocket: '"Proposed"' });
  await ask('tested');
  await published('tested', primary, { pocket: 'Release' });
  expect(await sourcesIn(primary, 'tested')).toHaveLength(2);
  expect(failures).toEqual([]);
});

it('builds anew what is copied without packages', async () => {
  await build({ name: 'rebuilt' });
  const landed = await copy('rebuilt', { include_binaries: 'false' });
  const builds = await standIn.entries(landed.self_link, 'getBuilds');
  expect(builds).toMatchObject([{ archive_link: primary, buildstate: 'Successfully built' }]);
});

it('lists the builds of a publication in its own series alone', async () => {
  const ppa = standIn.archiveUrl();
  const linksOf = async ({ self_link }: Entry) =>
    (await standIn.entries(self_link, 'getBuilds')).map((build) => build.self_link);
  const copyInPpa = async (name: string, parameters: Parameters) => {
    expect((await ask(name, { to_series: '"trixie"', ...parameters }, ppa)).status).toBe(200);
    return published(name, ppa, { distro_series: `${standIn.webUrl}/devel/debian/trixie` });
  };

  standIn.play({ sources: { '*': BUILT, 'failed-first': { builds: { '*': [FAILS] } } } });
  const failed = await upload({ name: 'failed-first' });
  await standIn.buildIn(failed, 'Failed to build');
  standIn.play(SCRIPT);
  const rebuilt = await copyInPpa('failed-first', { include_binaries: 'false' });
  const [first, second] = [await linksOf(failed), await linksOf(rebuilt)];
  expect([first.length, second.length]).toEqual([1, 1]);
  expect(second).not.toEqual(first);

  const built = await build({ name: 'built-first' });
  await standIn.untilPublished(built);
  const copied = await copyInPpa('built-first', {});
  expect(await linksOf(built)).toHaveLength(1);
  expect(await linksOf(copied)).toEqual([]);
});

it('builds what is missing beside the packages that are copied along', async () => {
  const both = await openStandIn({
    architectures: ['amd64', 'riscv64'],
    script: { sources: { '*': { builds: { riscv64: [FAILS], ...BUILT.builds } } } },
  });
  try {
    const made = await both.make({ name: 'half-built', architecture: 'any' });
    await both.upload(made.files);
    const origin = await both.publication(made);
    await both.buildIn(origin, 'Failed to build', 'riscv64');
    await both.untilPublished(origin);
    both.play(SCRIPT);
    const copyTo = async (archive: string, series: string) => {
      const answer = await both.post(archive, 'copyPackage', 'a-token', {
        source_name: '"half-built"',
        version: '"1.0"',
        from_archive: `"${both.archiveUrl()}"`,
        from_series: '"bookworm"',
        to_series: `"${series}"`,
        to_pocket: '"Release"',
        include_binaries: 'true',
      });
      expect(answer.status).toBe(200);
      const copied = await until('the copy', async () =>
        (
          await both.entries(archive, 'getPublishedSources', {
            source_name: 'half-built',
            distro_series: `${both.webUrl}/devel/debian/${series}`,
          })
        ).at(0),
      );
      await both.buildIn(copied, 'Successfully built', 'riscv64');
      const builds = await both.entries(copied.self_link, 'getBuilds');
      return builds.map(({ arch_tag: architecture, archive_link: link }) => [architecture, link]);
    };

    const ppa = both.archiveUrl();
    expect(await copyTo(ppa, 'trixie')).toEqual([['riscv64', ppa]]);
    const target = both.archiveUrl('debian/+archive/primary');
    // The build for bookworm is one of the target, too, as it has its packages.
    expect(await copyTo(target, 'bookworm')).toEqual([
      ['amd64', ppa],
      ['riscv64', target],
    ]);
  } finally {
    await both.close();
  }
});

it('deletes what is moved where it came from', async () => {
  const origin = await build({ name: 'moved' });
  await copy('moved', { move: 'true' });
  expect(await (await standIn.read(origin.self_link)).json()).toMatchObject({
    status: 'Deleted',
    removal_comment: 'Moved to bookworm in debian',
  });
});

const already = (source: string, version: string) => ({
  archives: { debian: { published: [{ source, version, series: 'bookworm' }] } },
});

describe('a copy fails in silence', () => {
  const NO_BINARIES = { builds: { '*': [FAILS] } };
  const BUILDING = { builds: { '*': [{ state: 'Currently building' }] } };
  /** What leads to the failure of a copy of a source, and what it is asked for with. */
  const CASES: [why: RegExp, name: string, lead: (name: string) => Promise<Parameters | void>][] = [
    [
      /a different source with the same version is published in the destination archive/,
      'other-source',
      async (name) => {
        standIn.play({ ...SCRIPT, ...already(name, '1.0') });
        await build({ name });
        await until('the other source', async () => (await sourcesIn(primary, name)).length > 0);
      },
    ],
    [
      /same version already building in the destination archive for bookworm/,
      'building-there',
      async (name) => {
        await build({ name });
        standIn.play({ sources: { '*': BUILT, [name]: BUILDING } });
        await ask(name, { include_binaries: 'false' });
        await until('the build', async () => (await sourcesIn(primary, name)).length > 0);
      },
    ],
    [
      /same version has unpublished binaries in the destination archive for bookworm, please wait/,
      'unpublished-there',
      async (name) => {
        standIn.play({ sources: { [name]: { ...BUILT, publishAfterMs: 86_400_000 } } });
        await build({ name });
        await ask(name);
        await until('the first copy', async () => (await sourcesIn(primary, name)).length > 0);
      },
    ],
    [
      /binaries conflicting with the existing ones/,
      'other-binaries',
      async (name) => {
        await build({ name });
        await copy(name, { include_binaries: 'false' });
      },
    ],
    [
      /same version already has published binaries in the destination archive/,
      'has-binaries',
      async (name) => {
        await build({ name });
        await copy(name);
        return { include_binaries: 'false' };
      },
    ],
    [
      /other-tarball_1\.0\.orig\.tar\.\w+ already exists in destination archive with different/,
      'other-tarball',
      async (name) => {
        const quilt = { name, format: 'quilt', upstreamBytes: 100 } as const;
        await build({ ...quilt, version: '1.0-1' });
        // The upload comes before the copy: afterwards it is refused.
        const other = await standIn.make({ ...quilt, version: '1.0-2' });
        await standIn.upload(other.files, '~me/debian/second');
        const second = standIn.archiveUrl('~me/+archive/debian/second');
        await published(name, second);
        await copy(name, { version: '"1.0-1"' });
        return { version: '"1.0-2"', from_archive: `"${second}"` };
      },
    ],
    [
      /source has no binaries to be copied/,
      'not-built',
      async (name) => {
        standIn.play({ sources: { [name]: NO_BINARIES } });
        await standIn.buildIn(await upload({ name }), 'Failed to build');
      },
    ],
    [
      /version older than the going-back 2\.0 in bookworm published in bookworm/,
      'going-back',
      async (name) => {
        standIn.play({ ...SCRIPT, ...already(name, '2.0') });
        await build({ name });
        await until('the newer one', async () => (await sourcesIn(primary, name)).length > 0);
      },
    ],
    [
      /source contains expired files/,
      'expired',
      async (name) => {
        standIn.play({ ...SCRIPT, deletions: { [name]: { expireAfterMs: 0 } } });
        await standIn.post((await build({ name })).self_link, 'requestDeletion');
      },
    ],
    [
      /source has expired binaries/,
      'expired-binaries',
      async (name) => {
        standIn.play({ ...SCRIPT, deletions: { [name]: { expireAfterMs: 0 } } });
        const origin = await build({ name });
        const third = standIn.archiveUrl('~me/+archive/debian/third');
        await ask(name, { include_binaries: 'false' }, third);
        await until('the source', async () => (await sourcesIn(third, name)).length > 0);
        await standIn.post(origin.self_link, 'requestDeletion');
      },
    ],
    [
      /Silent copies need queue admin privileges on the target/,
      'hushed',
      async (name) => {
        await build({ name });
        return { silent: 'true' };
      },
    ],
    [
      /^scripted 1\.0 in bookworm \(The disk is full\)$/,
      'scripted',
      async (name) => {
        standIn.play({ ...SCRIPT, copies: { [name]: { fails: 'The disk is full' } } });
        await build({ name });
      },
    ],
  ];

  it.each(CASES)('%s', async (why, name, lead) => {
    const parameters = (await lead(name)) ?? {};
    const before = await sourcesIn(primary, name);
    expect(await whyNot(name, parameters)).toMatch(why);
    expect((await sourcesIn(primary, name)).length).toBe(before.length);
  });
});

describe('a copy that is held', () => {
  const series = () => `${standIn.webUrl}/devel/debian/bookworm`;
  const uploads = (name: string, parameters: Parameters = {}) =>
    standIn.entries(series(), 'getPackageUploads', {
      archive: primary,
      name,
      exact_match: 'true',
      ...parameters,
    });
  const inQueue = (name: string, status: string) =>
    until(`${name} to be ${status}`, async () => (await uploads(name, { status })).at(0));

  it('waits in the queue of the series until it is released', async () => {
    standIn.play({ ...SCRIPT, copies: { approved: { held: 'Unapproved' } } });
    await build({ name: 'approved' });
    await ask('approved');
    const held = await inQueue('approved', 'Unapproved');
    expect(held).toMatchObject({
      package_name: 'approved',
      package_version: '1.0',
      contains_copy: true,
      copy_source_archive_link: standIn.archiveUrl(),
    });
    expect(await (await standIn.read(held.self_link)).json()).toEqual(held);
    expect(await uploads('approved', { pocket: 'Proposed' })).toEqual([]);
    expect(await sourcesIn(primary, 'approved')).toEqual([]);
    standIn.play({ ...SCRIPT, copies: { approved: { held: 'Unapproved', released: true } } });
    await published('approved');
    expect(await inQueue('approved', 'Done')).toMatchObject({ self_link: held.self_link });
  });

  it('is gone where somebody rejects it', async () => {
    standIn.play({ ...SCRIPT, copies: { unwanted: { held: 'New' } } });
    await build({ name: 'unwanted' });
    await ask('unwanted');
    await inQueue('unwanted', 'New');
    standIn.play({ ...SCRIPT, copies: { unwanted: { held: 'New', rejected: true } } });
    await inQueue('unwanted', 'Rejected');
    expect(await sourcesIn(primary, 'unwanted')).toEqual([]);
  });
});

describe('asking for a copy', () => {
  const answerTo = async (parameters: Parameters, target?: string, token?: string) => {
    const answer = await ask('asked', parameters, target, token);
    return `${answer.status} ${await answer.text()}`;
  };
  beforeAll(() => upload({ name: 'asked' }));

  it.each<[string, Parameters, string]>([
    ['a source that nobody has', { source_name: '"none"' }, "404 No such source package: 'none'."],
    [
      'a version that is not there',
      { version: '"9"' },
      '400 asked is not published in test of me.',
    ],
    ['no pocket', { to_pocket: 'null' }, '400 to_pocket: Required input is missing.'],
    ['an unknown pocket', { to_pocket: '"Beta"' }, "404 No such pocket: 'BETA'."],
    ['an unknown series', { to_series: '"noble"' }, "404 No such distribution series: 'noble'."],
    ['no archive', { from_archive: '"/ubuntu"' }, '400 from_archive: No such object "ubuntu".'],
  ])('is refused with %s', async (_, parameters, said) => {
    expect(await answerTo(parameters)).toBe(said);
  });

  it('is refused by pockets, and without the permission', async () => {
    standIn.play({
      people: {
        other: { tokens: ['of-other'] },
        lander: { tokens: ['x'], mayUploadTo: ['debian'] },
      },
      archives: { debian: { redirectsRelease: true, closed: ['bookworm-updates'] } },
    });
    const ppa = standIn.archiveUrl('~me/+archive/debian/third');
    expect([
      await answerTo({}),
      await answerTo({ to_pocket: '"Updates"' }),
      await answerTo({ to_pocket: '"Proposed"' }, ppa),
      await answerTo({ to_pocket: '"proposed"' }, primary, 'of-other'),
      await answerTo({}, ppa, 'of-other'),
      await answerTo({ to_pocket: '"Proposed"' }, primary, ''),
      await answerTo({ to_pocket: '"Proposed"', move: 'true' }, primary, 'x'),
      await answerTo({ to_pocket: '"Proposed"', include_binaries: 'false' }, primary, 'x'),
    ]).toEqual([
      '400 Not permitted to upload directly to bookworm; try bookworm-proposed instead.',
      "400 Not permitted to upload to the UPDATES pocket in a series in the 'CURRENT' state.",
      '400 PPA uploads must be for the RELEASE pocket.',
      expect.stringMatching(/^400 .* no upload rights to this distribution's primary archive/),
      '400 Signer has no upload rights to this PPA.',
      '401 Unauthorized: (anonymous) may not do this.',
      '400 The requester is not permitted to delete publications from test of me.',
      '200 null',
    ]);
  });
});
