import { pino } from 'pino';
import { checkUpload } from '../../../activities/check-upload.ts';
import { createPpaClient, type PpaClient } from '../../../ppa/client.ts';
import { PpaAnswerError } from '../../../ppa/web-service.ts';
import type { SourcePublication } from '../../../ppa/wire.ts';
import { runActivity } from '../activity.ts';

const PPA = { owner: 'me', distribution: 'ubuntu', name: 'test' };
const LAUNCHPAD = 'https://lp.example/devel/';
const logger = pino({ level: 'silent' });

/** What an archive has published of hello. The names of files are those of `hello_`. */
type Published = {
  version: string;
  series?: string;
  status?: string;
  files: Record<string, string>;
};

/** A Launchpad with these publications of hello. */
function launchpadWith(
  { inPpa = [], inPrimary = [] }: { inPpa?: Published[]; inPrimary?: Published[] },
  more: Partial<PpaClient> = {},
) {
  const all = [...inPpa, ...inPrimary];
  const publication = (one: Published): SourcePublication => ({
    self_link: `${LAUNCHPAD}+sourcepub/${all.indexOf(one)}`,
    source_package_name: 'hello',
    source_package_version: one.version,
    status: one.status ?? 'Published',
    distro_series_link: `${LAUNCHPAD}ubuntu/${one.series ?? 'noble'}`,
  });
  const asked = { primary: 0, files: 0 };
  const client: PpaClient = {
    ...createPpaClient({ rootUrl: 'http://127.0.0.1:1', timeoutMs: 1, logger }),
    getArchive: async () => ({}),
    getSeries: async (_, name) => ({ name, status: 'Current Stable Release' }),
    getArchitectures: async () => undefined,
    getPublishedSources: async (_, { version }) =>
      inPpa.filter((one) => one.version === version).map(publication),
    getSourceHistory: async () => inPpa.map(publication),
    getLatestSources: async () => {
      asked.primary += 1;
      return inPrimary.map(publication);
    },
    sourceFileUrls: async (link) => {
      asked.files += 1;
      const files = all[Number(link.split('/').at(-1))]?.files ?? {};
      return Object.entries(files).map(([name, sha256]) => ({
        url: `https://lp.example/+sourcefiles/hello_${name}`,
        size: 1,
        sha256,
      }));
    },
    ...more,
  };
  return { client, asked };
}

/** Why the PPA would not take this version of hello, which nobody has signed, for noble. */
async function problemOf(
  { client }: { client: PpaClient },
  version: string,
  files: Record<string, string>,
  leftOut: Record<string, string> = {},
) {
  const listed = (sums: Record<string, string>) =>
    Object.entries(sums).map(([name, sha256]) => ({ name: `hello_${name}`, sha256 }));
  const [problem] = await runActivity(
    checkUpload({ logger, ppaClient: client, signing: { keyId: 'x', gnupgHome: null } }),
    {
      ppa: PPA,
      series: 'noble',
      packages: [
        {
          source: 'hello',
          version,
          files: listed(files),
          leftOut: listed(leftOut),
          isSigned: false,
        },
      ],
    },
  );
  return problem;
}

describe('a tarball of upstream with other contents is refused', () => {
  const HERE = { '2.0.orig.tar.gz': 'ours' };
  const THERE = { '2.0.orig.tar.gz': 'theirs', '2.0-1.debian.tar.xz': 'theirs' };

  it.each<[string, Parameters<typeof launchpadWith>[0], string]>([
    [
      'the PPA has it in another series',
      { inPpa: [{ version: '2.0-1', series: 'jammy', files: THERE }] },
      '~me/ubuntu/test has with hello 2.0-1, Published in jammy: SHA-256 ours, not theirs',
    ],
    [
      'the PPA has had it',
      { inPpa: [{ version: '2.0-1', status: 'Deleted', files: THERE }] },
      '~me/ubuntu/test has with hello 2.0-1, Deleted in noble',
    ],
    [
      'the PPA has it with an earlier revision alone',
      {
        inPpa: [
          { version: '2.0-1', files: {} },
          { version: '2.0-0', files: THERE },
        ],
      },
      '~me/ubuntu/test has with hello 2.0-0',
    ],
    [
      'the primary archive has it, and the PPA does not',
      {
        inPpa: [{ version: '1.0-1', files: { '1.0.orig.tar.gz': 'theirs' } }],
        inPrimary: [{ version: '1:2.0-1ubuntu1', series: 'jammy', files: THERE }],
      },
      'ubuntu has with hello 1:2.0-1ubuntu1, Published in jammy',
    ],
  ])('where %s', async (_where, published, why) => {
    const refused = {
      code: 'file_conflict',
      message: expect.stringContaining(`hello_2.0.orig.tar.gz is not the file that ${why}`),
    };
    const launchpad = launchpadWith(published);
    expect(await problemOf(launchpad, '2.0-2', HERE)).toMatchObject(refused);
    // As dpkg-buildpackage -sd makes it.
    const sent = { '2.0-2.debian.tar.xz': 'ours' };
    expect(await problemOf(launchpad, '2.0-2', sent, HERE)).toMatchObject(refused);
    expect(
      await problemOf(launchpad, '2.0-2', sent, { '2.0.orig.tar.gz': 'theirs' }),
    ).toBeUndefined();
  });
});

it.each<[string, Published[]]>([
  ['the PPA has it no more', [{ version: '2.0-1', files: {} }]],
  ['an upload that the PPA has not processed yet may bring it', []],
])('a tarball that the upload leaves out is left to the PPA: %s', async (_why, inPpa) => {
  const leftOut = { '2.0.orig.tar.gz': 'ours' };
  const sent = { '2.0-2.debian.tar.xz': 'ours' };
  expect(await problemOf(launchpadWith({ inPpa }), '2.0-2', sent, leftOut)).toBeUndefined();
});

it('a version is another one where only the tarball that its upload leaves out is', async () => {
  const sent = { '2.0-1.debian.tar.xz': 'same' };
  const launchpad = launchpadWith({
    inPpa: [{ version: '2.0-1', files: { ...sent, '2.0.orig.tar.gz': 'theirs' } }],
  });
  expect(await problemOf(launchpad, '2.0-1', sent, { '2.0.orig.tar.gz': 'ours' })).toMatchObject({
    code: 'version_conflict',
    message: '~me/ubuntu/test already holds hello 2.0-1 with another hello_2.0.orig.tar.gz',
  });
  expect(
    await problemOf(launchpad, '2.0-1', sent, { '2.0.orig.tar.gz': 'theirs' }),
  ).toBeUndefined();
});

it.each([
  ['another epoch', '1:2.0-1', { '2.0-1.debian.tar.xz': 'ours' }],
  ['another epoch of a native package', '1:2.0', { '2.0.tar.xz': 'ours' }],
])(
  'a file of a revision is refused where the PPA has it with %s',
  async (_what, version, files) => {
    const theirs = { '2.0-1.debian.tar.xz': 'theirs', '2.0.tar.xz': 'theirs' };
    const launchpad = launchpadWith({
      inPpa: ['2.0-1', '2.0'].map((each) => ({ version: each, files: theirs })),
    });
    expect(await problemOf(launchpad, version, files)).toMatchObject({ code: 'file_conflict' });
  },
);

describe('Launchpad is asked no more than it takes', () => {
  const SAME = { '2.0.orig.tar.gz': 'same' };
  const revisions = (count: number, files: Record<string, string>) =>
    Array.from({ length: count }, (_, at) => ({ version: `2.0-1~${at}`, files }));

  it.each([
    ['once for the files of one revision, where the PPA has the tarball', SAME, 30, [0, 1]],
    [
      'for the files of 10 revisions, and of the primary archive, where it does not',
      {},
      30,
      [1, 11],
    ],
    ['for the primary archive, where the PPA has no revision', {}, 0, [1, 1]],
  ])('%s', async (_what, files, count, [primary, ofFiles]) => {
    const launchpad = launchpadWith({
      inPpa: revisions(count, files),
      inPrimary: [{ version: '2.0-0ubuntu1', files: SAME }],
    });
    expect(await problemOf(launchpad, '2.0-2', { ...SAME, '2.0-2.dsc': 'x' })).toBeUndefined();
    expect(launchpad.asked).toEqual({ primary, files: ofFiles });
  });

  it('for no files of a native package', async () => {
    const launchpad = launchpadWith({ inPpa: [{ version: '1.9', files: { '1.9.tar.xz': 'x' } }] });
    expect(await problemOf(launchpad, '2.0', { '2.0.tar.xz': 'y' })).toBeUndefined();
    expect(launchpad.asked).toEqual({ primary: 0, files: 0 });
  });
});

it('a version is held against those of its series that are there, and no others', async () => {
  const versions = (...inPpa: Omit<Published, 'files'>[]) =>
    launchpadWith({ inPpa: inPpa.map((one) => ({ ...one, files: {} })) });
  const others = [
    { version: '3.0', series: 'jammy' },
    { version: '3.1', status: 'Deleted' },
    { version: '3.2', status: 'Superseded' },
  ];
  expect(await problemOf(versions(...others), '2.0', {})).toBeUndefined();
  expect(
    await problemOf(versions(...others, { version: '2.1', status: 'Pending' }), '2.0', {}),
  ).toMatchObject({ code: 'version_not_higher', message: expect.stringContaining('than 2.1') });
});

describe('a version that was superseded in the PPA', () => {
  const there = { version: '2.0', status: 'Superseded', files: { '2.0.dsc': 'signed before' } };
  const newer = { version: '2.1', files: {} };
  const AGAIN = { '2.0.dsc': 'signed anew' };

  it('is refused where a higher one has replaced it, which apt would give', async () => {
    expect(await problemOf(launchpadWith({ inPpa: [there, newer] }), '2.0', AGAIN)).toMatchObject({
      code: 'version_not_higher',
      message: 'hello 2.0 is not higher than 2.1, Published in ~me/ubuntu/test for noble',
    });
  });

  it('is refused for the higher one, too, where Launchpad has removed its files', async () => {
    const launchpad = launchpadWith({ inPpa: [{ ...there, files: {} }, newer] });
    expect(await problemOf(launchpad, '2.0', { '2.0.tar.xz': 'ours' })).toMatchObject({
      code: 'version_not_higher',
    });
  });

  it('is refused where its files are gone, as nobody can say that they were the same', async () => {
    const launchpad = launchpadWith({ inPpa: [{ ...there, files: {} }] });
    expect(await problemOf(launchpad, '2.0', { '2.0.tar.xz': 'ours' })).toMatchObject({
      code: 'version_conflict',
      message: '~me/ubuntu/test already holds hello 2.0, Superseded; its hello_2.0.tar.xz is gone',
    });
  });

  it.each<[string, Published[]]>([
    ['the higher one is of another series', [there, { ...newer, series: 'jammy' }]],
    ['it is published again', [there, { ...there, status: 'Published' }]],
  ])('counts as there where %s', async (_where, inPpa) => {
    expect(await problemOf(launchpadWith({ inPpa }), '2.0', AGAIN)).toBeUndefined();
  });
});

it('a series is to be named itself where Launchpad redirects its alias to it', async () => {
  const launchpad = launchpadWith(
    {},
    { getSeries: () => Promise.reject(new PpaAnswerError(303, 'GET …/devel/ubuntu/noble: 303')) },
  );
  expect(await problemOf(launchpad, '2.0', {})).toMatchObject({
    code: 'series_not_open',
    message: 'ubuntu noble is another name of a series; name the series itself',
  });
});

it.each(['Experimental', 'Future', 'Active Development'])(
  'a series that is not out yet takes uploads, where Launchpad calls it %s',
  async (status) => {
    const launchpad = launchpadWith({}, { getSeries: async (_, name) => ({ name, status }) });
    expect(await problemOf(launchpad, '2.0', {})).toBeUndefined();
  },
);

it.each(['Deleting', 'Deleted'])(
  'a PPA that Launchpad calls %s is there no longer',
  async (status) => {
    const launchpad = launchpadWith({}, { getArchive: async () => ({ status }) });
    expect(await problemOf(launchpad, '2.0', {})).toMatchObject({
      code: 'ppa_not_found',
      message: '~me/ubuntu/test was deleted',
    });
  },
);

it.each(['Active', undefined])('a PPA takes uploads where its status is %s', async (status) => {
  const launchpad = launchpadWith({}, { getArchive: async () => ({ status }) });
  expect(await problemOf(launchpad, '2.0', {})).toBeUndefined();
});

describe('a series that is obsolete', () => {
  const obsolete = (permits: boolean | null | undefined) =>
    launchpadWith(
      {},
      {
        getSeries: async (_, name) => ({ name, status: 'Obsolete' }),
        getArchive: async () => ({ permit_obsolete_series_uploads: permits }),
      },
    );

  it('takes uploads to a PPA that permits them', async () => {
    expect(await problemOf(obsolete(true), '2.0', {})).toBeUndefined();
  });

  it.each([false, null, undefined])('takes none where the PPA says %s', async (permits) => {
    expect(await problemOf(obsolete(permits), '2.0', {})).toMatchObject({
      code: 'series_not_open',
      message: 'ubuntu noble takes no uploads any more',
    });
  });
});
