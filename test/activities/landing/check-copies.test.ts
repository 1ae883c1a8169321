import { checkCopies } from '../../../activities/landing/check-copies.ts';
import { archiveReference, type Archive, type Pocket } from '../../../domain/packages/archive.ts';
import type { PackageUpload } from '../../../ppa/wire.ts';
import { PpaAnswerError } from '../../../ppa/web-service.ts';
import {
  archivesInMemory,
  EARLIER_UPLOAD,
  IN_EARLIER_PPA,
  IN_PPA,
  IN_TARGET,
  IN_TARGET_FROM_EARLIER,
  PPA,
  SOURCE,
  TARGET,
  type Publication,
} from './archives-in-memory.ts';

const INPUT = { ppa: PPA, target: TARGET, packages: [{ source: SOURCE, version: '1.2' }] };
const withStatus = (one: Publication, status: string): Publication => ({
  ...one,
  status,
  binaries: one.binaries.map((binary) => ({ ...binary, status })),
});
/** Why the target would not take the package. */
const refusals = async (...publications: Publication[]) => {
  const { refused } = await checkCopies({ ppaClient: archivesInMemory(publications) })(INPUT);
  return refused.map(({ message }) => message);
};

test('a copy is refused for what the PPA lacks and for what the target has', async () => {
  const lacks = ['~me/debian/test has not published all of 1.2'];
  expect(await refusals()).toEqual(lacks);
  expect(await refusals(withStatus(IN_PPA, 'Pending'))).toEqual(lacks);
  expect(await refusals(withStatus(IN_PPA, 'Superseded'))).toEqual(lacks);
  expect(await refusals({ ...IN_TARGET, version: '1.3' }, IN_PPA)).toEqual([
    'debian bookworm has 1.3, which is newer than 1.2',
  ]);
  const binaries = [{ architecture: 'amd64', build: 'B', status: 'Published' }];
  expect(await refusals({ ...IN_TARGET, binaries }, IN_PPA)).toEqual([
    'debian bookworm has a 1.2 that ~me/debian/test has not built (if it is what the ticket is to land, set its subticket to complete with `airline subticket set-step`, and land the rest anew)',
  ]);
  expect(await refusals(IN_PPA)).toEqual([]);
});

test('what an earlier attempt of the landing has copied from another PPA is not refused', async () => {
  const ppaClient = archivesInMemory([IN_TARGET_FROM_EARLIER, IN_PPA, IN_EARLIER_PPA]);
  const refusedOf = async (uploads: (typeof EARLIER_UPLOAD)[]) =>
    (await checkCopies({ ppaClient })({ ...INPUT, uploads })).refused;
  expect(await refusedOf([EARLIER_UPLOAD])).toEqual([]);
  expect(await refusedOf([])).toHaveLength(1);
});

test('a copy is refused while a build that succeeded, or may yet, has left nothing in the PPA', async () => {
  const withSecond = (buildstate: string): Publication => ({
    ...IN_PPA,
    builds: [
      { build: 'A', buildstate: 'Successfully built' },
      { build: 'B', buildstate },
    ],
  });
  const lacks = ['~me/debian/test has not published all of 1.2'];
  for (const buildstate of ['Successfully built', 'Uploading build', 'Needs building'])
    expect(await refusals(withSecond(buildstate))).toEqual(lacks);
  expect(await refusals(withSecond('Failed to build'))).toEqual([]);
});

test('a copy is not refused where the PPA had its packages once before, and has them again', async () => {
  const [now] = IN_PPA.binaries as [Publication['binaries'][number]];
  const before = (status: string) => ({ ...now, status });
  for (const status of ['Deleted', 'Superseded'])
    for (const binaries of [
      [now, before(status)],
      [before(status), now],
    ])
      expect(await refusals({ ...IN_PPA, binaries })).toEqual([]);
  const lacks = ['~me/debian/test has not published all of 1.2'];
  for (const other of [{ architecture: 'arm64' }, { build: 'B' }]) {
    const binaries = [now, { ...before('Deleted'), ...other }];
    expect(await refusals({ ...IN_PPA, binaries })).toEqual(lacks);
  }
  const pending = { ...now, status: 'Pending' };
  expect(await refusals({ ...IN_PPA, binaries: [pending, before('Deleted')] })).toEqual(lacks);
});

test.each<[string, Partial<Publication>, string]>([
  ['in another series', { series: 'trixie' }, 'Published in trixie'],
  ['in another pocket', { pocket: 'Release' }, 'Published in bookworm'],
  ['and was deleted', { status: 'Deleted' }, 'Deleted in bookworm'],
])(
  'a copy is refused where the target has another source of its version %s',
  async (_, there, how) => {
    const own = { ...IN_PPA, dsc: 'ours' };
    const other = { ...IN_TARGET, ...there };
    expect(await refusals({ ...other, dsc: 'theirs' }, own)).toEqual([
      `debian has another 1.2, ${how}`,
    ]);
    expect(await refusals({ ...other, dsc: 'ours' }, own)).toEqual([]);
    expect(await refusals(other, own)).toEqual([]);
    expect(await refusals({ ...other, dsc: 'theirs' }, IN_PPA)).toEqual([]);
  },
);

describe('a copy of a version that the target has in another place, of the same source', () => {
  const ALSO = [
    ...IN_PPA.binaries,
    { architecture: 'arm64', build: 'of the target', status: 'Published' },
  ];
  const MADE = { build: 'A', buildstate: 'Successfully built' };
  const MORE = (buildstate: string) => [MADE, { build: 'of the target', buildstate }];

  describe.each<[string, Partial<Publication>, string]>([
    ['in another series', { series: 'trixie' }, 'trixie Proposed'],
    ['in another pocket', { pocket: 'Updates' }, 'bookworm Updates'],
  ])('%s', (_, there, place) => {
    const refusedBeside = (more: Partial<Publication>) =>
      refusals({ ...IN_TARGET, ...there, ...more }, IN_PPA);

    it.each(['Needs building', 'Currently building', 'Uploading build'])(
      'is refused while a build there is %s',
      async (buildstate) => {
        expect(await refusedBeside({ builds: MORE(buildstate) })).toEqual([
          `debian still builds 1.2 for ${place}, and takes no copy of it before that has ended: retry the landing then`,
        ]);
      },
    );

    it('is refused while not all that was built is published there', async () => {
      const pending = ALSO.map((one) => ({ ...one, status: 'Pending' }));
      const why = `debian has not published yet all that was built of 1.2 for ${place}, and takes no copy of it until then: retry the landing later`;
      expect(await refusedBeside({ builds: MORE('Successfully built') })).toEqual([why]);
      expect(await refusedBeside({ binaries: pending })).toEqual([why]);
    });

    it.each(['Published', 'Superseded'])(
      'is refused where a package is %s there that the PPA has not built',
      async (status) => {
        expect(await refusedBeside({ binaries: ALSO, status })).toEqual([
          `debian has a 1.2 in ${place} with packages that ~me/debian/test has not built (hello for arm64), and takes no copy without these: copy that one within debian, set its subticket to complete with \`airline subticket set-step\`, and land the rest anew`,
        ]);
      },
    );

    it.each(['Failed to build', 'Dependency wait'])(
      'is not refused where all packages are of the PPA, and a build there ended as %s',
      async (buildstate) => {
        expect(await refusedBeside({ builds: MORE(buildstate) })).toEqual([]);
      },
    );

    it("is not refused where the PPA's own build is there for one more architecture", async () => {
      const variant = { architecture: 'amd64v3', build: 'A', status: 'Published' };
      expect(await refusedBeside({ binaries: [...IN_PPA.binaries, variant] })).toEqual([]);
    });

    it('is not refused where nothing was built but what the PPA has', async () => {
      expect(await refusedBeside({})).toEqual([]);
    });
  });
});

describe("a copy whose upstream's tarball the target has with another version", () => {
  const landed = { owner: 'me', distribution: 'debian', name: 'landed' };
  const own = { ...IN_PPA, version: '1.2-2', orig: 'ours' };
  const refusedTo = async (there: Publication, pocket: Pocket) => {
    const ppaClient = archivesInMemory([there, own]);
    const target = { ...TARGET, archive: archiveReference(there.archive), pocket };
    const packages = [{ source: SOURCE, version: own.version }];
    const { refused } = await checkCopies({ ppaClient })({ ...INPUT, target, packages });
    return refused.map(({ message }) => message);
  };

  it.each<[string, Archive, Pocket]>([
    ['~me/debian/landed', landed, 'Release'],
    ['debian', { distribution: 'debian' }, 'Proposed'],
  ])('is refused by %s where it has other contents', async (reference, archive, pocket) => {
    const there = { ...IN_PPA, archive, version: '1.2-1', status: 'Superseded' };
    expect(await refusedTo({ ...there, orig: 'theirs' }, pocket)).toEqual([
      `hello_1.2.orig.tar.gz is not the file that ${reference} has with hello 1.2-1, Superseded in bookworm: SHA-256 ours, not theirs`,
    ]);
    expect(await refusedTo({ ...there, orig: 'ours' }, pocket)).toEqual([]);
    expect(await refusedTo({ ...there, version: '1.1-1', orig: 'theirs' }, pocket)).toEqual([]);
  });
});

test.each(['Superseded', 'Deleted'])(
  'what the target has, or is about to publish, is not refused though the PPA has it as %s',
  async (status) => {
    const gone = withStatus(IN_PPA, status);
    const newer = { ...IN_PPA, version: '1.3' };
    expect(await refusals(IN_TARGET, newer, gone)).toEqual([]);
    expect(await refusals(withStatus(IN_TARGET, 'Pending'), newer, gone)).toEqual([]);
  },
);

describe('a copy from a private PPA', () => {
  const ppa = '~me/debian/test';
  const other = { owner: 'me', distribution: 'debian', name: 'other' };
  const refusedTo = async (
    archive: string,
    { publications = [IN_PPA], isTargetPrivate = false, isTarget = true } = {},
  ) => {
    const ppaClient = archivesInMemory(publications, [], isTargetPrivate ? [ppa, archive] : [ppa]);
    if (!isTarget) {
      const { getArchive } = ppaClient;
      ppaClient.getArchive = async (one) => (one.name === 'other' ? undefined : getArchive(one));
    }
    const pocket = archive === 'debian' ? 'Proposed' : 'Release';
    const target = { archive, series: 'bookworm', pocket };
    const { refused } = await checkCopies({ ppaClient })({ ...INPUT, target });
    return refused.map(({ message }) => message);
  };

  it.each(['debian', '~me/debian/other'])('is refused where it goes to %s', async (archive) => {
    expect(await refusedTo(archive)).toEqual([
      `${ppa} is private and ${archive} is not: Launchpad copies no private files to a public archive`,
    ]);
  });

  it('is not refused where it goes to another private PPA, or to one that does not exist', async () => {
    expect(await refusedTo('~me/debian/other', { isTargetPrivate: true })).toEqual([]);
    expect(await refusedTo('~me/debian/other', { isTarget: false })).toEqual([]);
  });

  it('is not refused once somebody has made it', async () => {
    expect(await refusedTo('debian', { publications: [IN_TARGET, IN_PPA] })).toEqual([]);
    const inOther = { ...IN_PPA, archive: other };
    expect(await refusedTo('~me/debian/other', { publications: [inOther, IN_PPA] })).toEqual([]);
  });
});

describe('a newer version in another pocket of the target', () => {
  const refusedAt = async (pocket: string, newerIn: Pocket) => {
    const newer: Publication = { ...IN_TARGET, version: '1.9', pocket: newerIn };
    const target = { ...TARGET, pocket };
    return (
      await checkCopies({ ppaClient: archivesInMemory([newer, IN_PPA]) })({ ...INPUT, target })
    ).refused.map(({ message }) => message);
  };

  test.each<[string, Pocket]>([
    ['Proposed', 'Backports'],
    ['Updates', 'Backports'],
    ['Security', 'Proposed'],
  ])('does not keep a copy out of %s where it is in %s', async (pocket, newerIn) => {
    expect(await refusedAt(pocket, newerIn)).toEqual([]);
  });

  test.each<[string, Pocket]>([
    ['Proposed', 'Updates'],
    ['Backports', 'Release'],
    ['Updates', 'Security'],
  ])('keeps a copy out of %s where it is in %s, of which systems are made', async (...where) => {
    expect(await refusedAt(...where)).toEqual(['debian bookworm has 1.9, which is newer than 1.2']);
  });
});

test('what a copy of the landing has published is not refused, whatever became of it', async () => {
  const createdAt = '2026-01-01T13:00:00+00:00';
  const left = { ...withStatus(IN_TARGET, 'Superseded'), createdAt };
  const newer = { ...IN_TARGET, version: '1.3' };
  const refusedSince = async (requestedAt: string) => {
    const ppaClient = archivesInMemory([newer, left, IN_PPA]);
    const requestedAtMs = Date.parse(requestedAt);
    return (await checkCopies({ ppaClient })({ ...INPUT, requestedAtMs })).refused;
  };
  expect(await refusedSince('2026-01-01T12:00:00Z')).toEqual([]);
  expect(await refusedSince('2026-01-01T14:00:00Z')).toHaveLength(1);
});

test('what the target has published already is told, not what it is about to publish', async () => {
  const publishedOf = async (...publications: Publication[]) =>
    (await checkCopies({ ppaClient: archivesInMemory(publications) })(INPUT)).published;
  expect(await publishedOf(IN_TARGET, IN_PPA)).toEqual([SOURCE]);
  expect(await publishedOf(withStatus(IN_TARGET, 'Pending'), IN_PPA)).toEqual([]);
  expect(await publishedOf(IN_PPA)).toEqual([]);
});

test('what the queue of the target has had before the copy is told', async () => {
  const upload = { self_link: 'https://api/debian/bookworm/+upload/7', status: 'Rejected' };
  const older = { ...upload, self_link: 'https://api/debian/bookworm/+upload/3' };
  const seenBy = async (ppaClient: ReturnType<typeof archivesInMemory>) =>
    (await checkCopies({ ppaClient })(INPUT)).seenUploads;
  expect(await seenBy(archivesInMemory([IN_PPA], [upload, older]))).toEqual({
    [SOURCE]: upload.self_link,
  });
  expect(await seenBy(archivesInMemory([IN_PPA]))).toEqual({});
});

test('a copy of an earlier attempt that still waits in the queue is the copy of this one', async () => {
  const waiting = {
    self_link: 'https://api/debian/bookworm/+upload/7',
    status: 'Unapproved',
    copy_source_archive_link: 'https://api/~me/+archive/debian/test',
  };
  const of = async (upload: PackageUpload) =>
    (await checkCopies({ ppaClient: archivesInMemory([IN_PPA], [upload]) })(INPUT)).seenUploads;
  expect(await of(waiting)).toEqual({});
  const ofAnother = 'https://api/~me/+archive/debian/other';
  for (const other of [
    { ...waiting, status: 'Done' },
    { ...waiting, copy_source_archive_link: ofAnother },
  ])
    expect(await of(other)).toEqual({ [SOURCE]: waiting.self_link });
});

test('what came after a copy that still waits is not what was there before it', async () => {
  const upload = (id: number, status: string): PackageUpload => ({
    self_link: `https://api/debian/bookworm/+upload/${id}`,
    status,
    copy_source_archive_link: 'https://api/~me/+archive/debian/test',
  });
  const seenOf = async (...uploads: PackageUpload[]) =>
    (await checkCopies({ ppaClient: archivesInMemory([IN_PPA], uploads) })(INPUT)).seenUploads;
  const [again, waiting, before] = [upload(3, 'Rejected'), upload(2, 'New'), upload(1, 'Rejected')];
  expect(await seenOf(again, waiting)).toEqual({});
  expect(await seenOf(again, waiting, before)).toEqual({ [SOURCE]: before.self_link });
});

test('a target that does not exist is left to the request for the copy', async () => {
  const ppaClient = archivesInMemory([IN_PPA]);
  ppaClient.heldUploads = async () => {
    throw new PpaAnswerError(400, 'archive: No such object "~me/+archive/debian/none".');
  };
  expect(await checkCopies({ ppaClient })(INPUT)).toEqual({
    refused: [],
    published: [],
    seenUploads: {},
  });
});
