import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openArchiveState, type ArchiveState } from '../../../stand-in/archive/archive-state.ts';
import { keepBinaries } from '../../../stand-in/archive/keep-binaries.ts';
import { layoutOf, type Layout } from '../../../stand-in/archive/layout.ts';
import { processAccepted } from '../../../stand-in/archive/process-accepted.ts';
import { now, type Build } from '../../../stand-in/archive/records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
let layout: Layout;
let state: ArchiveState;
beforeEach(() => {
  directory = temporaryDirectory();
  layout = layoutOf(directory);
  state = openArchiveState(layout.root);
});
afterEach(() => state.close());

/** A build that has just ended. */
const uploading = (): Build =>
  state.transact(({ nextId, put }) => {
    const build: Build = {
      id: nextId(),
      archive: '~me/debian/test',
      sourceId: 1,
      source: 'probe',
      version: '1.0',
      series: 'bookworm',
      pocket: 'Release',
      architecture: 'amd64',
      buildsArchitectureAll: true,
      state: 'Uploading build',
      attempt: 1,
      createdAt: now(),
      firstDispatchedAt: now(),
      startedAt: now(),
      builtAt: now(),
      log: null,
      uploadLog: null,
      changes: null,
      buildinfo: null,
      dependencies: null,
    };
    put('build', build);
    return build;
  });

/**
 * What sbuild leaves: a package with this content, and its .changes, which describes the package as it is when damaged.
 */
const built = (
  content: string,
  change = (text: string) => text,
  damage: (deb: string) => void = () => undefined,
): string => {
  const builtDir = join(temporaryDirectory(), 'built');
  const tree = join(builtDir, '..', 'tree');
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  mkdirSync(builtDir);
  writeFileSync(
    join(tree, 'DEBIAN/control'),
    'Package: probe\nVersion: 1.0\nArchitecture: all\nMaintainer: Me <me@airline.example>\nDescription: probe\n',
  );
  writeFileSync(join(tree, 'content'), content);
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, builtDir]);
  const deb = join(builtDir, 'probe_1.0_all.deb');
  damage(deb);
  const bytes = readFileSync(deb);
  const line = (algorithm: string, words = '') =>
    ` ${createHash(algorithm).update(bytes).digest('hex')} ${bytes.length} ${words}${basename(deb)}\n`;
  writeFileSync(
    join(builtDir, 'probe_1.0_amd64.changes'),
    change(
      `Format: 1.8\nSource: probe\nVersion: 1.0\nDistribution: bookworm\nArchitecture: all\nChanged-By: Me <me@airline.example>\nChecksums-Sha1:\n${line('sha1')}Checksums-Sha256:\n${line('sha256')}Files:\n${line('md5', 'misc optional ')}`,
    ),
  );
  return builtDir;
};
const uploadLog = ({ id, uploadLog: name }: Build) =>
  gunzipSync(readFileSync(layout.buildFile(id, name as string))).toString();

it('takes packages into the pool and ends the build', async () => {
  const build = uploading();
  await keepBinaries(build, built('one'), 'the.log', { state, layout });
  expect(state.build(build.id)).toMatchObject({
    state: 'Successfully built',
    log: 'the.log',
    changes: 'probe_1.0_amd64.changes',
    uploadLog: null,
  });
  expect(state.binaries()).toMatchObject([
    { name: 'probe', version: '1.0', architecture: 'all', status: 'Pending', buildId: build.id },
  ]);
  expect(existsSync(layout.poolFile(build.archive, 'probe', 'probe_1.0_all.deb'))).toBe(true);
});

it('leaves what a build has made without publications for as long as the script says', async () => {
  const build = uploading();
  await keepBinaries(build, built('one'), 'the.log', {
    state,
    layout,
    publicationsAfterMs: 60_000,
  });
  const endedAtMs = Date.now();
  expect(state.build(build.id)?.state).toBe('Successfully built');
  processAccepted(state, endedAtMs - 1);
  expect(state.binaries()).toEqual([]);
  processAccepted(state, endedAtMs + 60_000);
  processAccepted(state, endedAtMs + 60_000);
  expect(state.binaries()).toMatchObject([{ name: 'probe', status: 'Pending', buildId: build.id }]);
  expect(state.build(build.id)?.state).toBe('Successfully built');
});

it('fails to upload a file that the archive has with other contents, and says so', async () => {
  await keepBinaries(uploading(), built('one'), 'the.log', { state, layout });
  const second = uploading();
  await keepBinaries(second, built('another'), 'the.log', { state, layout });
  const ended = state.build(second.id) as Build;
  expect(ended).toMatchObject({ state: 'Failed to upload', log: 'the.log' });
  expect(uploadLog(ended)).toMatch(/probe_1.0_all.deb already exists .* different contents/);
  expect(state.binaries()).toHaveLength(1);
});

it('fails to upload packages that their .changes does not describe', async () => {
  const build = uploading();
  const builtDir = built('one', (text) => text.replace(/^ [0-9a-f]{40} /m, ` ${'0'.repeat(40)} `));
  await keepBinaries(build, builtDir, null, { state, layout });
  const ended = state.build(build.id) as Build;
  expect(ended.state).toBe('Failed to upload');
  expect(uploadLog(ended)).toMatch(/checksum mismatch/);
});

it('fails to upload where nothing was built', async () => {
  const build = uploading();
  const empty = join(directory, 'empty');
  mkdirSync(empty);
  await keepBinaries(build, empty, null, { state, layout });
  expect(uploadLog(state.build(build.id) as Build)).toMatch(/made 0 \.changes files/);
});

/**
 * Puts other control files into a package, packed by hand.
 *
 * @param members names of files below the folder, in their order
 */
const pack = (deb: string, write: (folder: string) => void, members: string[]): void => {
  const folder = join(temporaryDirectory(), 'control');
  mkdirSync(folder);
  execFileSync('dpkg-deb', ['--control', deb, folder]);
  write(folder);
  const packed = `${folder}.tar.gz`;
  execFileSync('tar', ['-czf', packed, '--format=gnu', '-C', folder, ...members]);
  const parts = join(folder, '..');
  execFileSync('ar', ['x', deb, 'debian-binary', 'data.tar.xz'], { cwd: parts });
  rmSync(deb);
  execFileSync('ar', ['rc', deb, 'debian-binary', basename(packed), 'data.tar.xz'], { cwd: parts });
};

it.each(['./control', 'control'])(
  "reads a package's %s, and unpacks nothing: not what no disk has room for",
  async (name) => {
    const build = uploading();
    const builtDir = built('one', undefined, (deb) =>
      pack(
        deb,
        (folder) => {
          // No disk can have both.
          writeFileSync(join(folder, 'folder'), '');
          writeFileSync(join(folder, 'file'), '');
        },
        ['folder', '--transform=s,^file$,folder/file,', 'file', name],
      ),
    );
    await keepBinaries(build, builtDir, null, { state, layout });
    expect(state.build(build.id)).toMatchObject({ state: 'Successfully built' });
    expect(state.binaries()).toMatchObject([
      { name: 'probe', version: '1.0', architecture: 'all', section: 'misc' },
    ]);
  },
);

it('fails to upload a package whose control files are no more than a few kilobytes packed, and much unpacked', async () => {
  const build = uploading();
  const builtDir = built('one', undefined, (deb) =>
    pack(deb, (folder) => writeFileSync(join(folder, 'zeros'), Buffer.alloc(80 * 2 ** 20)), [
      './control',
      './zeros',
    ]),
  );
  await keepBinaries(build, builtDir, null, { state, layout });
  const ended = state.build(build.id) as Build;
  expect(ended.state).toBe('Failed to upload');
  expect(uploadLog(ended)).toContain('Unexpected EOF in archive');
});

it('fails to upload a file that is no package, and one that is missing', async () => {
  const [unreadable, missing] = [uploading(), uploading()];
  const noPackage = built('one', undefined, (deb) => writeFileSync(deb, 'no archive'));
  await keepBinaries(unreadable, noPackage, null, { state, layout });
  expect(uploadLog(state.build(unreadable.id) as Build)).toMatch(
    /^bash: exit code 2: dpkg-deb: error: /,
  );
  const builtDir = built('one');
  rmSync(join(builtDir, 'probe_1.0_all.deb'));
  await keepBinaries(missing, builtDir, null, { state, layout });
  expect(uploadLog(state.build(missing.id) as Build)).toMatch(/probe_1.0_all.deb .* is not in/);
});

it.each(['.changes', '.buildinfo'])(
  'fails to upload a %s that is a link, and shows nothing of what it leads to',
  async (suffix) => {
    const build = uploading();
    const builtDir = built('one');
    const name = `probe_1.0_amd64${suffix}`;
    const file = join(directory, 'of-root');
    // What a link leads to may well be of the right form.
    if (suffix === '.changes') renameSync(join(builtDir, name), file);
    else writeFileSync(file, 'secret');
    symlinkSync(file, join(builtDir, name));
    await keepBinaries(build, builtDir, null, { state, layout });
    const ended = state.build(build.id) as Build;
    expect(ended.state).toBe('Failed to upload');
    expect(uploadLog(ended)).toBe(`${name} is no file.\n`);
    expect(readdirSync(join(layout.buildFile(build.id, name), '..'))).not.toContain(name);
  },
);

it("a machine that fails is not the package's fault: it is thrown, and the build stays", async () => {
  const build = uploading();
  // Where the pool should be made.
  writeFileSync(layout.aptDir, '');
  await expect(keepBinaries(build, built('one'), 'the.log', { state, layout })).rejects.toThrow(
    /EEXIST|ENOTDIR/,
  );
  expect(state.build(build.id)).toMatchObject({ state: 'Uploading build', uploadLog: null });
});
