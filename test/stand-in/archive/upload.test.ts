import { createHash } from 'node:crypto';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeSigningKey } from '../../support/signing-key.ts';
import type { SourcePackage } from '../../support/source-package.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ architectures: ['amd64', 'arm64'] });
});
afterAll(() => standIn.close());

const isProcessed = () =>
  until(
    'the upload to be processed',
    () =>
      readdirSync(join(standIn.directory, 'stand-in', 'incoming')).every((name) =>
        name.startsWith('.'),
      ) && readdirSync(join(standIn.directory, 'stand-in', 'incoming', '.sessions')).length === 0,
  );
const recordsOf = (name: string, ppa?: string) =>
  standIn.entries(standIn.archiveUrl(ppa), 'getPublishedSources', {
    source_name: name,
    exact_match: 'true',
  });
const upload = async (files: readonly string[], path?: string) => {
  await standIn.upload(files, path);
  await isProcessed();
};
const rejectionOf = async (source: SourcePackage) => {
  const rejection = await until('a rejection', () =>
    standIn
      .rejections()
      .find(({ changes }) => changes.endsWith(`/${source.changes.split('/').at(-1)}`)),
  );
  return rejection.why;
};
/** Signs a control file that was changed by hand. */
const sign = async (path: string, change: (text: string) => string) => {
  const body = readFileSync(path, 'utf8')
    .replace(/^-----BEGIN PGP SIGNED MESSAGE-----\n(?:.+\n)*\n/, '')
    .replace(/\n?-----BEGIN PGP SIGNATURE-----[\s\S]*$/, '');
  writeFileSync(path, await standIn.key.clearSign(change(body)));
};

describe('an upload is accepted', () => {
  it('with one publication and a build for each architecture, in one go', async () => {
    const source = await standIn.make({ name: 'both-architectures', architecture: 'any' });
    await upload(source.files);
    const publication = await standIn.publication(source);
    expect(publication).toMatchObject({
      source_package_version: '1.0',
      display_name: 'both-architectures 1.0 in bookworm',
      component_name: 'main',
      section_name: 'misc',
      pocket: 'Release',
    });
    const builds = await standIn.entries(publication.self_link, 'getBuilds');
    expect(builds.map((build) => build['arch_tag'])).toEqual(['amd64', 'arm64']);
  });

  it('and built once where it is for all architectures', async () => {
    const source = await standIn.make({ name: 'for-all', architecture: 'all' });
    await upload(source.files);
    const { self_link } = await standIn.publication(source);
    const builds = await standIn.entries(self_link, 'getBuilds');
    expect(builds.map((build) => build['arch_tag'])).toEqual(['amd64']);
  });

  it('and built where its wildcard matches', async () => {
    const source = await standIn.make({ name: 'on-arm', architecture: 'any-arm64' });
    await upload(source.files);
    const { self_link } = await standIn.publication(source);
    const builds = await standIn.entries(self_link, 'getBuilds');
    expect(builds.map((build) => build['arch_tag'])).toEqual(['arm64']);
  });

  it('for the suite in the path, whatever its Distribution says', async () => {
    const source = await standIn.make({ name: 'for-suite', distribution: 'UNRELEASED' });
    await upload(source.files, '~me/debian/test/trixie');
    const { distro_series_link } = await standIn.publication(source);
    expect(distro_series_link).toMatch(/\/debian\/trixie$/);
  });

  it('without an upstream tarball that the archive has', async () => {
    const files = { 'upstream.txt': 'the same in both' };
    const first = await standIn.make({
      name: 'with-orig',
      version: '1.0-1',
      format: 'quilt',
      files,
    });
    await upload(first.files);
    await standIn.publication(first);
    const second = await standIn.make({
      name: 'with-orig',
      version: '1.0-2',
      format: 'quilt',
      files,
    });
    const orig = first.files.find((path) => path.includes('.orig.')) as string;
    const copy = second.files.find((path) => path.includes('.orig.')) as string;
    writeFileSync(copy, readFileSync(orig));
    const digest = (algorithm: string) =>
      createHash(algorithm).update(readFileSync(orig)).digest('hex');
    const line = /^ [0-9a-f]{32,64} \d+ (.* )?with-orig_1\.0\.orig\.tar\.gz\n/gm;
    const sizeBytes = readFileSync(orig).length;
    await sign(second.dsc, (text) =>
      text.replace(line, (old) => {
        const algorithm = { 32: 'md5', 40: 'sha1', 64: 'sha256' }[
          (old.trim().split(' ')[0] as string).length
        ] as string;
        return ` ${digest(algorithm)} ${sizeBytes} with-orig_1.0.orig.tar.gz\n`;
      }),
    );
    const dsc = readFileSync(second.dsc);
    await sign(second.changes, (text) =>
      text
        .replace(line, '')
        .replace(
          /^ ([0-9a-f]{32,64}) \d+ (.*)(with-orig_1\.0-2\.dsc)$/gm,
          (_, sum: string, middle: string, name: string) => {
            const algorithm = { 32: 'md5', 40: 'sha1', 64: 'sha256' }[sum.length] as string;
            return ` ${createHash(algorithm).update(dsc).digest('hex')} ${dsc.length} ${middle}${name}`;
          },
        ),
    );
    await upload(second.files.filter((path) => path !== copy));
    const publication = await standIn.publication(second);
    const urls = (await standIn.call(publication.self_link, 'sourceFileUrls')) as string[];
    expect(urls.some((url) => url.endsWith('with-orig_1.0.orig.tar.gz'))).toBe(true);
    const response = await standIn.read(urls.find((url) => url.includes('.orig.')) as string);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(readFileSync(orig));
  });

  it('together with another one in the same session', async () => {
    const first = await standIn.make({ name: 'one-of-two' });
    const second = await standIn.make({ name: 'two-of-two' });
    await upload([...first.files, ...second.files]);
    expect(await standIn.publication(first)).toBeDefined();
    expect(await standIn.publication(second)).toBeDefined();
  });
});

describe('an upload is met with silence', () => {
  const expectSilence = async (source: SourcePackage) => {
    const before = standIn.rejections().length;
    await upload(source.files);
    expect(await recordsOf(source.name)).toEqual([]);
    expect(standIn.rejections()).toHaveLength(before);
  };

  it('where it is not signed', async () => {
    await expectSilence(await standIn.make({ name: 'not-signed', isSigned: false }));
  });

  it('where the key is unknown, until it is known', async () => {
    const stranger = await makeSigningKey('A Stranger', 'stranger@airline.example');
    try {
      const source = await standIn.make({ name: 'of-a-stranger', key: stranger });
      await expectSilence(source);
      writeFileSync(join(standIn.keysDir, 'stranger.asc'), stranger.publicKey);
      await upload(source.files);
      expect(await standIn.publication(source)).toBeDefined();
    } finally {
      rmSync(join(standIn.keysDir, 'stranger.asc'), { force: true });
    }
  });

  it('where it was changed after it was signed', async () => {
    const source = await standIn.make({ name: 'tampered' });
    writeFileSync(
      source.changes,
      readFileSync(source.changes, 'utf8').replace('urgency', 'Urgency').replace('medium', 'high'),
    );
    await expectSilence(source);
  });

  it('where only its .dsc is signed by a stranger', async () => {
    const stranger = await makeSigningKey('A Stranger', 'stranger@airline.example');
    const theirs = await standIn.make({ name: 'half-signed', key: stranger });
    await sign(theirs.changes, (text) => text);
    await expectSilence(theirs);
  });

  it('where its key is known, and registered with no account of the script', async () => {
    standIn.play({ people: { me: {} } });
    await expectSilence(await standIn.make({ name: 'of-no-account' }));
    standIn.play({});
  });

  it('where its session broke before the .changes', async () => {
    const source = await standIn.make({ name: 'broken-off' });
    await expectSilence({ ...source, files: source.files.slice(0, -1) });
  });
});

describe('an upload is rejected, without a record,', () => {
  const expectRejection = async (source: SourcePackage, why: RegExp, path?: string) => {
    await upload(source.files, path);
    expect(await rejectionOf(source)).toMatch(why);
    expect(await recordsOf(source.name)).toEqual([]);
  };

  it('where a file is not what the .changes says', async () => {
    const source = await standIn.make({ name: 'bad-checksum' });
    const tarball = source.files.find((path) => path.endsWith('.tar.xz')) as string;
    const bytes = readFileSync(tarball);
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    writeFileSync(tarball, bytes);
    await expectRejection(source, /bad-checksum_1\.0\.tar\.xz .* checksum mismatch/);
  });

  it('where a file has another size', async () => {
    const source = await standIn.make({ name: 'bad-size' });
    appendFileSync(source.files.find((path) => path.endsWith('.tar.xz')) as string, 'more');
    await expectRejection(source, /size mismatch/);
  });

  it('where a file is missing', async () => {
    const source = await standIn.make({ name: 'file-missing' });
    await expectRejection(
      { ...source, files: source.files.filter((path) => !path.endsWith('.tar.xz')) },
      /file-missing_1\.0\.tar\.xz .* is not in the upload/,
    );
  });

  it('where its version is not higher than what the archive has', async () => {
    const newer = await standIn.make({ name: 'going-down', version: '2.0' });
    await upload(newer.files);
    await standIn.publication(newer);
    const older = await standIn.make({ name: 'going-down', version: '2.0~rc1' });
    await upload(older.files);
    expect(await rejectionOf(older)).toMatch(
      /Version older than that in the archive. 2.0~rc1 <= 2.0/,
    );
    expect(await recordsOf('going-down')).toHaveLength(1);
  });

  it('where the archive has that version', async () => {
    const source = await standIn.make({ name: 'twice' });
    await upload(source.files);
    await standIn.publication(source);
    await upload(source.files);
    expect(await rejectionOf(source)).toMatch(/already accepted/);
    expect(await recordsOf('twice')).toHaveLength(1);
  });

  it('where the archive has a file of that name with other contents', async () => {
    const first = await standIn.make({
      name: 'same-name',
      version: '1.0-1',
      format: 'quilt',
      files: { a: 'one' },
    });
    await upload(first.files);
    await standIn.publication(first);
    const second = await standIn.make({
      name: 'same-name',
      version: '1.0-2',
      format: 'quilt',
      files: { a: 'another' },
    });
    await upload(second.files);
    expect(await rejectionOf(second)).toMatch(
      /same-name_1.0.orig.tar.gz already exists .* different/,
    );
  });

  it('where the series is unknown', async () => {
    await expectRejection(
      await standIn.make({ name: 'no-such-series', distribution: 'warty' }),
      /Unable to find distroseries: warty/,
    );
  });

  it('where the distribution is unknown', async () => {
    await expectRejection(
      await standIn.make({ name: 'no-such-distribution' }),
      /Could not find distribution 'plan9'/,
      '~me/plan9/test',
    );
  });

  it('where the pocket is not Release', async () => {
    await expectRejection(
      await standIn.make({ name: 'for-proposed', distribution: 'bookworm-proposed' }),
      /must be for the RELEASE pocket/,
    );
  });

  it('where it can be built nowhere', async () => {
    await expectRejection(
      await standIn.make({ name: 'nowhere', architecture: 's390x' }),
      /Cannot build any of the architectures requested: s390x/,
    );
  });

  it('where it is in no folder of a PPA', async () => {
    await expectRejection(await standIn.make({ name: 'no-folder' }), /Path mismatch/, 'ubuntu');
  });

  it('where it is no source upload', async () => {
    const source = await standIn.make({ name: 'mixed' });
    await sign(source.changes, (text) =>
      text.replace('Architecture: source', 'Architecture: source amd64'),
    );
    await expectRejection(source, /mixed/);
  });

  it('where it names no section', async () => {
    const source = await standIn.make({ name: 'no-section' });
    await sign(source.changes, (text) => text.replaceAll(' misc optional ', ' - - '));
    await expectRejection(source, /^no-section_1\.0\.dsc: Unknown section '-'$/);
  });

  it('where it has the .buildinfo of a build', async () => {
    const source = await standIn.make({ name: 'of-a-build' });
    const buildinfo = source.files.find((path) => path.endsWith('.buildinfo')) as string;
    const ofBuild = buildinfo.replace('_source.', '_amd64.');
    renameSync(buildinfo, ofBuild);
    await sign(source.changes, (text) => text.replaceAll('_source.buildinfo', '_amd64.buildinfo'));
    await expectRejection(
      { ...source, files: source.files.map((path) => (path === buildinfo ? ofBuild : path)) },
      /^Mismatch in binaryfulness\. \(arch\) False != \(files\) True$/,
    );
  });

  it('where its .buildinfo is of another version', async () => {
    const source = await standIn.make({ name: 'other-version' });
    const buildinfo = source.files.find((path) => path.endsWith('.buildinfo')) as string;
    const other = buildinfo.replace('_1.0_', '_2.0_');
    renameSync(buildinfo, other);
    await sign(source.changes, (text) => text.replaceAll('_1.0_source.b', '_2.0_source.b'));
    await expectRejection(
      { ...source, files: source.files.map((path) => (path === buildinfo ? other : path)) },
      /^2\.0: should be 1\.0 according to changes file\.$/,
    );
  });

  it('where its fields make no sense', async () => {
    const source = await standIn.make({ name: 'no-sense' });
    await sign(source.changes, (text) => text.replace(/^Changed-By:.*\n/m, ''));
    await expectRejection(source, /Changed-By/);
  });

  it('where it does not know the format', async () => {
    const source = await standIn.make({ name: 'old-format' });
    await sign(source.dsc, (text) => text.replace('Format: 3.0 (native)', 'Format: 2.0'));
    const dsc = readFileSync(source.dsc);
    await sign(source.changes, (text) =>
      text.replace(
        /^ ([0-9a-f]{32,64}) \d+ (.*\.dsc)$/gm,
        (_, { length }: string, name: string) => {
          const algorithm = { 32: 'md5', 40: 'sha1', 64: 'sha256' }[length] as string;
          return ` ${createHash(algorithm).update(dsc).digest('hex')} ${dsc.length} ${name}`;
        },
      ),
    );
    await expectRejection(source, /^old-format_1\.0\.dsc: .*not "2\.0"$/);
  });

  it('where the script says so', async () => {
    standIn.play({ sources: { unwanted: { rejected: 'Not today.' } } });
    await expectRejection(await standIn.make({ name: 'unwanted' }), /^Not today\.$/);
    standIn.play({});
  });
});

describe('an upstream tarball that the primary archive of the distribution has', () => {
  const SECOND = '~me/debian/second';
  const inSecond = (name: string) => recordsOf(name, '~me/+archive/debian/second');
  /** A revision of a source that the primary archive has from the first PPA. */
  const landed = async (name: string) => {
    const source = await standIn.make({ name, version: '1.0-1', format: 'quilt' });
    await upload(source.files);
    const primary = standIn.archiveUrl('debian/+archive/primary');
    const asked = await standIn.post(primary, 'copyPackage', 'a-token', {
      source_name: `"${name}"`,
      version: '"1.0-1"',
      from_archive: `"${standIn.archiveUrl()}"`,
      to_pocket: '"Release"',
    });
    expect(asked.status).toBe(200);
    await until('the copy', async () => (await recordsOf(name, 'debian/+archive/primary')).at(0));
    return source;
  };

  it('may be left out', async () => {
    const source = await landed('orig-in-primary');
    const orig = source.files.find((path) => path.includes('.orig.')) as string;
    await sign(source.changes, (text) => text.replace(/^.* orig-in-primary_1\.0\.orig.*\n/gm, ''));

    await upload(
      source.files.filter((path) => path !== orig),
      SECOND,
    );

    const publications = await inSecond(source.name);
    expect(publications).toHaveLength(1);
    const [{ self_link: link } = { self_link: '' }] = publications;
    const urls = (await standIn.call(link, 'sourceFileUrls')) as string[];
    const url = urls.find((one) => one.endsWith('orig-in-primary_1.0.orig.tar.gz')) as string;
    const response = await standIn.read(url);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(readFileSync(orig));
  });

  it('is not taken with other contents', async () => {
    const { name } = await landed('other-orig-in-primary');
    const files = { more: 'x' };
    const other = await standIn.make({ name, version: '1.0-2', format: 'quilt', files });

    await upload(other.files, SECOND);

    expect(await rejectionOf(other)).toMatch(
      /^File other-orig-in-primary_1\.0\.orig\.tar\.gz already exists in debian, .* different/,
    );
    expect(await inSecond(name)).toEqual([]);
  });

  it('does not count where the PPA has another one', async () => {
    const name = 'orig-in-both';
    const files = { more: 'x' };
    const own = await standIn.make({ name, version: '1.0-1', format: 'quilt', files });
    await upload(own.files, SECOND);
    await landed(name);

    await upload(own.files, SECOND);

    expect(await rejectionOf(own)).toMatch(/already accepted/);
  });
});

it('is looked at later where the script says so', async () => {
  standIn.play({ sources: { late: { acceptAfterMs: 400 } } });
  const source = await standIn.make({ name: 'late' });
  const startedAt = Date.now();
  await standIn.upload(source.files);
  await standIn.publication(source);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(400);
  standIn.play({});
});

it('an upload is rejected, and nothing copied, where the PPA is disabled', async () => {
  const before = await standIn.make({ name: 'before-it-was-disabled' });
  await upload(before.files);
  standIn.play({ disabledPpas: ['~me/debian/test'] });
  const source = await standIn.make({ name: 'to-a-disabled-ppa' });

  await upload(source.files);

  expect(await rejectionOf(source)).toBe('test of me is disabled.');
  const copied = await standIn.post(standIn.archiveUrl(), 'copyPackage', 'a-token', {
    source_name: '"before-it-was-disabled"',
    version: '"1.0"',
    from_archive: `"${standIn.archiveUrl()}"`,
    to_pocket: '"Release"',
  });
  expect([copied.status, await copied.text()]).toEqual([400, 'test of me is disabled.']);
  standIn.play({});
});

it('an upload is rejected where its signer may not upload to the PPA', async () => {
  standIn.play({ people: { me: {}, ann: { keys: [standIn.key.fingerprint] } } });
  const source = await standIn.make({ name: 'not-by-the-owner' });

  await upload(source.files);

  expect(await rejectionOf(source)).toBe('Signer has no upload rights to this PPA.');
  standIn.play({});
});
