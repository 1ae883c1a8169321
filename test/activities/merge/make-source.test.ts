import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedTools } from '../../../activities/merge/bounded-tool.ts';
import { makeGitRepository } from '../../../activities/merge/git-repository.ts';
import { findUpstream, makeSource, unpackSource } from '../../../activities/merge/make-source.ts';
import { packaging, startGitServer, type Files, type GitServer } from '../../support/git-server.ts';
import { TEST_SOURCES } from '../../support/test-sources.ts';

/** A file of the worker's. */
const SECRET = '/etc/passwd';
const NEW_FILE = '--- a/new.c\n+++ b/new.c\n@@ -0,0 +1 @@\n+new\n';
const quilt = (more: Files = {}) =>
  packaging('xy', '1.0-1', {
    'a.c': 'a\n',
    'debian/patches/series': 'p1\n',
    'debian/patches/p1': NEW_FILE,
    ...more,
  });

/** What git writes for a new link. */
const newLink = (path: string, to: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 120000\n--- /dev/null\n+++ b/${path}\n` +
  `@@ -0,0 +1 @@\n+${to}\n\\ No newline at end of file\n`;

/** Has a patch take itself from the series, so that it is not applied once more beside the upstream source. */
const ONCE = '--- a/debian/patches/series\n+++ b/debian/patches/series\n@@ -1 +1 @@\n-p1\n+p2\n';

let server: GitServer;
let directory: string;
/** A file, and a folder, of the worker's that nothing may write. */
let proof: string;
let home: string;
let names = 0;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'make-source-'));
  proof = join(directory, 'proof');
  home = join(directory, 'home');
  await mkdir(home);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const serve = () => server.make(`repository-${(names += 1)}`);

/**
 * Unpacks the branch `main` of a repository, as what a merge into another branch has come to.
 *
 * @param maxBytes of each file that is written meanwhile
 * @param packaging branch that gives `debian`
 */
async function unpack(
  { url }: { url: string },
  {
    maxBytes = 5_000_000,
    target = 'main',
    packaging: packagingBranch,
  }: { maxBytes?: number; target?: string; packaging?: string } = {},
) {
  const { signal } = new AbortController();
  const run = boundedTools(home, { maxBytes, memoryBytes: 2 ** 28, maxMs: 60_000, signal });
  const repository = await makeGitRepository(join(home, 'repository'), run, {
    ...TEST_SOURCES,
    maxBytes,
  });
  const fetched = (branch: string) => repository.fetch(url, `refs/heads/${branch}`, branch, 10);
  const folder = join(home, 'source');
  await mkdir(folder);
  const tree = (await fetched('main')) ?? 'no branch main';
  const unpacked = await unpackSource(repository, run, {
    tree,
    target: (await fetched(target)) ?? `no branch ${target}`,
    packaging: packagingBranch === undefined ? undefined : await fetched(packagingBranch),
    folder,
  });
  return {
    repository,
    run,
    unpacked,
    folder,
    findUpstream: (version: string) => findUpstream(version, () => fetched('upstream')),
  };
}

/** The files of the source package that is made of a branch, and of an upstream tag, which was merged into. */
async function made(tree: Files, upstream: Files = { 'a.c': 'a\n' }, debian?: Files) {
  const served = await serve();
  await served.commit('upstream', upstream);
  await served.commit('main', tree, 'upstream');
  if (debian) await served.commit('debian/main', debian, 'upstream');
  const { repository, run, unpacked, folder, ...fetches } = await unpack(served, {
    target: 'upstream',
    ...(debian ? { packaging: 'debian/main' } : {}),
  });
  const { upstreamVersion } = unpacked;
  const tagged = upstreamVersion ? await fetches.findUpstream(upstreamVersion) : undefined;
  const source = await makeSource(repository, run, unpacked, { upstream: tagged, folder });
  const contents = async (name: string) =>
    (await run('tar', ['--list', `--file=${join(folder, name)}`])).stdout.split('\n');
  return { ...source, contents };
}

describe('a source package of a format with patches', () => {
  it('is made without the folder of quilt, in the tree and in the upstream tarball', async () => {
    const pc = { '.pc/applied-patches': { linkTo: proof }, 'sub/.pc/kept': 'kept\n' };
    const { files, contents } = await made(quilt(pc), { 'a.c': 'a\n', ...pc });
    expect(files).toEqual([
      'xy_1.0-1.debian.tar.xz',
      'xy_1.0-1.dsc',
      'xy_1.0.orig.tar.gz',
      'xy_1.0-1_source.changes',
    ]);
    expect(await contents('xy_1.0.orig.tar.gz')).toEqual([
      'xy-1.0/',
      'xy-1.0/a.c',
      'xy-1.0/sub/',
      'xy-1.0/sub/.pc/',
      'xy-1.0/sub/.pc/kept',
      '',
    ]);
    expect(existsSync(proof)).toBe(false);
  });

  it('may have links: in debian to files, elsewhere to what the source has or to nothing', async () => {
    const links = {
      loop: { linkTo: 'loop' },
      out: { linkTo: '/etc/passwd' },
      gone: { linkTo: '/nowhere/at/all' },
      'sub/up': { linkTo: '..' },
      COPYING: 'free\n',
    };
    // Its debian is left out of what is compared.
    const upstream = { 'a.c': 'a\n', ...links, 'debian/tests': { linkTo: '/nowhere' } };
    const { files } = await made(
      quilt({
        ...links,
        'debian/copyright': { linkTo: '../COPYING' },
        'debian/patches/series': { linkTo: 'series.all' },
        'debian/patches/series.all': 'p1\n',
        'debian/source/options': 'single-debian-patch\n',
        'debian/tests': null,
        'debian/tests/control': 'Test-Command: true\n',
        'a.c': 'changed\n',
      }),
      upstream,
    );
    expect(files).toHaveLength(4);
  });

  it('is refused: a patch that makes a link', async () => {
    const tree = quilt({
      'a.c': 'changed\n',
      'debian/source/options': 'auto-commit\n',
      'debian/patches/p1': newLink('debian/patches/debian-changes-1.0-1', proof) + ONCE,
      'debian/patches/p2': NEW_FILE,
    });
    const outcome = await made(tree).catch(String);
    expect(existsSync(proof)).toBe(false);
    expect(outcome).toMatch(/dpkg-source: .*a patch makes or changes a link/);
  });

  it('is refused: a link out of the source, through which a backup would be put back', async () => {
    await mkdir(proof);
    const tree = quilt({
      evil: 'before\n',
      p1: { linkTo: proof },
      'debian/patches/series': 'p1\n.\n',
      'debian/patches/p1': '--- a/evil\n+++ b/evil\n@@ -1 +1 @@\n-before\n+after\n',
    });
    const upstream = { 'a.c': 'a\n', evil: 'before\n' };
    const outcome = await made(tree, upstream).catch(String);
    expect(existsSync(join(proof, 'evil'))).toBe(false);
    expect(outcome).toMatch(
      /p1 is a link to a folder outside the source, whose format may have patches/,
    );
  });

  it('is refused: a link that leads out of the source only once a patch is applied', async () => {
    await mkdir(proof);
    const tree = quilt({
      evil: 'before\n',
      p1: { linkTo: '.pc/../../../../proof' },
      'debian/patches/series': 'p1\n.\n',
      'debian/patches/p1': '--- a/evil\n+++ b/evil\n@@ -1 +1 @@\n-before\n+after\n',
    });
    const outcome = await made(tree, { 'a.c': 'a\n', evil: 'before\n' }).catch(String);
    expect(existsSync(join(proof, 'evil'))).toBe(false);
    expect(outcome).toMatch(/dpkg-source: .*a link leads to a folder outside the source/);
  });

  it('is refused, without any patch too: a link upstream through which a file is compared', async () => {
    await mkdir(proof);
    await writeFile(join(proof, 'key'), 'secret\n');
    // Of a folder of such a name dpkg-source does not look whether it is one upstream, too.
    const tree = packaging('xy', '1.0-1', { 'a.c': 'a\n', 'sub~': null, 'sub~/key': 'secret\n' });
    const outcome = made(tree, { 'a.c': 'a\n', 'sub~': { linkTo: proof } });
    await expect(outcome).rejects.toThrow(
      /sub~ is a link to a folder outside the source, whose format may have patches/,
    );
  });

  it('is refused: the same link in the upstream source alone', async () => {
    await mkdir(proof);
    const upstream = { 'a.c': 'a\n', sub: { linkTo: proof } };
    await expect(made(quilt({ sub: null }), upstream)).rejects.toThrow(/sub is a link to a folder/);
  });
});

describe('a link upstream through which a file of the worker would be compared', () => {
  /** Of a folder that is ignored, dpkg-source does not look whether it is one upstream, too. */
  const ignoring = (folder: string) => `single-debian-patch\ndiff-ignore = "^${folder}$"\n`;
  /** Leads out of the source once quilt's folder is there. */
  const throughPc = { linkTo: '.pc/../../../../proof' };
  beforeEach(async () => {
    await mkdir(proof);
    await writeFile(join(proof, 'key'), 'secret\n');
  });

  it('is refused, of format 1.0: where the tree has a folder', async () => {
    // dpkg-source takes the name of a file in a diff to end before a tab.
    const tree = packaging('xy', '1.0-1', {
      'a.c': 'a\n',
      'co\tnf': null,
      'co\tnf/key': 'mine\n',
      'debian/source/format': '1.0\n',
      'debian/source/options': 'diff-ignore = "^co.nf$"\n',
    });
    const outcome = made(tree, { 'a.c': 'a\n', 'co\tnf': { linkTo: proof } });
    await expect(outcome).rejects.toMatchObject({ code: 'source_not_made' });
    await expect(outcome).rejects.toThrow('is a link upstream, and a folder in the merged tree');
  });

  it('is refused, of a format with patches: where the tree has a folder', async () => {
    const tree = quilt({
      conf: null,
      'conf/key': 'mine\n',
      'debian/source/options': ignoring('conf'),
    });
    await expect(made(tree, { 'a.c': 'a\n', conf: throughPc })).rejects.toThrow(
      'conf is a link upstream, and a folder in the merged tree',
    );
  });

  it('is refused: where a patch makes the folder, in the tree alone', async () => {
    const tree = quilt({
      conf: null,
      'debian/patches/p1':
        '--- /dev/null\n+++ b/conf/key\n@@ -0,0 +1 @@\n+mine\n' + ONCE.replace('+p2', '+# none'),
      'debian/source/options': ignoring('conf'),
    });
    await expect(made(tree, { 'a.c': 'a\n', conf: throughPc })).rejects.toThrow(
      /tree.orig.*\/conf\/key is read through a link/,
    );
  });
});

describe('a link by which dpkg-source would read or write a file of the worker', () => {
  it.each<[string, Files, RegExp]>([
    [
      'debian/source elsewhere',
      { 'debian/source': { linkTo: '../s' }, 's/format': { linkTo: SECRET } },
      /debian\/source is a link$/,
    ],
    [
      'debian/patches elsewhere',
      { 'debian/patches': { linkTo: '../p' }, 'p/series': { linkTo: SECRET } },
      /debian\/patches is a link$/,
    ],
    ['debian elsewhere', { debian: { linkTo: 'd' }, 'd/control': 'x\n' }, /debian is a link$/],
    [
      'a folder of it elsewhere',
      { 'debian/tests': { linkTo: '../t' }, 't/control': { linkTo: SECRET } },
      /debian\/tests is a link to no file/,
    ],
    [
      'a link to a link out of the tree',
      { 'debian/source/format': { linkTo: '../../f' }, f: { linkTo: SECRET } },
      /debian\/source\/format is a link that leads out of the tree/,
    ],
    [
      'a file that is not there yet',
      { 'debian/patches/debian-changes-1.0-1': { linkTo: '/tmp/airline-proof-link' } },
      /debian-changes-1.0-1 is a link to nothing/,
    ],
    [
      'a series that is another file upstream',
      { 'debian/patches/series': { linkTo: '../../s' }, s: 'p1\n' },
      /debian\/patches\/series is a link to another folder/,
    ],
  ])('is refused: %s', async (_, links, why) => {
    const outcome = made(quilt(links));
    await expect(outcome).rejects.toMatchObject({ code: 'source_not_made' });
    await expect(outcome).rejects.toThrow(why);
    await expect(outcome).rejects.not.toThrow(/root:/);
  });
});

it('a source package is not made of a tree that names no Section', async () => {
  const control =
    'Source: xy\nMaintainer: Ada <ada@example.org>\n\nPackage: xy\nArchitecture: any\n';
  const tree = packaging('xy', '1.0', { 'debian/control': control });
  await expect(made(tree)).rejects.toMatchObject({
    code: 'source_not_made',
    message: expect.stringContaining('the first paragraph of debian/control has no Section'),
  });
});

describe('a file that Git LFS keeps', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'1'.repeat(64)}\nsize 9\n`;

  it.each<[string, string, Files]>([
    ['that is new', 'data/large.bin', {}],
    ['to other contents', 'large.bin', { 'large.bin': pointer.replace('size 9', 'size 8') }],
    ['of any name', '-"large" ü.bin', {}],
  ])('is refused: a pointer %s', async (_, path, upstream) => {
    await expect(made(quilt({ [path]: pointer }), { 'a.c': 'a\n', ...upstream })).rejects.toThrow(
      `: ${path} is a pointer of Git LFS`,
    );
  });

  it('may have its pointer as the target has it', async () => {
    const { files } = await made(quilt(), { 'a.c': 'a\n', 'large.bin': pointer });
    expect(files).toHaveLength(4);
  });

  it('may have its pointer in what is left out: the folder of quilt, and a debian of another branch', async () => {
    const own = { 'debian/large.bin': pointer, '.pc/large.bin': pointer };
    expect((await made(own, { 'a.c': 'a\n' }, packaging('xy', '1.0-1'))).files).toHaveLength(4);
  });

  it('is refused: its pointer in the packaging', async () => {
    const debian = packaging('xy', '1.0-1', { 'debian/large.bin': pointer });
    await expect(made({ 'b.c': 'b\n' }, { 'a.c': 'a\n' }, debian)).rejects.toThrow(
      ': debian/large.bin is a pointer of Git LFS',
    );
  });

  it('may have its pointer in the upstream source alone, as tarballs that others make', async () => {
    const upstream = { 'a.c': 'a\n', 'large.bin': pointer };
    const { files } = await made(
      quilt({ 'large.bin': null, 'debian/source/options': 'extend-diff-ignore = "^large"\n' }),
      upstream,
    );
    expect(files).toHaveLength(4);
  });

  it('is none: a text that has a pointer in it, or many', async () => {
    const { files } = await made(
      quilt({
        'debian/lfs.txt': `A pointer:\n${pointer}`,
        'debian/all.txt': pointer.repeat(10),
      }),
    );
    expect(files).toHaveLength(4);
  });
});

it('takes nothing of a list of files that a patch makes', async () => {
  const listing = `--- /dev/null\n+++ b/debian/files\n@@ -0,0 +1 @@\n+../../../../../../etc/passwd misc optional\n`;
  const { files } = await made(
    quilt({ 'debian/patches/p1': listing + ONCE, 'debian/patches/p2': NEW_FILE }),
  );
  expect(files).toHaveLength(4);
});

it('is not unpacked: a tree that names few files very often', async () => {
  const served = await serve();
  const written = async (type: string, content: string | Buffer) => {
    const path = join(directory, 'object');
    await writeFile(path, content);
    return served.git('hash-object', '-t', type, '-w', path);
  };
  /** A tree with the same entry again and again. */
  const treeOf = (count: number, mode: string, entry: string) => {
    const names = Array.from(
      { length: count },
      (_, at) => `${mode} ${String(at).padStart(3, '0')}`,
    );
    const id = Buffer.from(entry, 'hex');
    const entries = names.flatMap((name) => [Buffer.from(`${name}\0`), id]);
    return written('tree', Buffer.concat(entries));
  };
  const files = await treeOf(100, '100644', await written('blob', ''));
  const folders = await treeOf(100, '40000', files);
  const commit = await served.git('commit-tree', await treeOf(50, '40000', folders), '-m', 'many');
  await served.git('update-ref', 'refs/heads/main', commit);
  const outcome = unpack(served, { maxBytes: 2 ** 30 });
  await expect(outcome).rejects.toMatchObject({ code: 'source_too_large' });
  await expect(outcome).rejects.toThrow('The tree has more than 500000 files and folders');
  expect(await readdir(join(home, 'source'))).toEqual([]);
});

it.each(['3.0 (quilt)', '1.0'])(
  'is not unpacked: an upstream source that is far larger than its tarball, of format %s',
  async (format) => {
    const zeros = Array.from({ length: 20 }, (_, at) => [`${at}.bin`, Buffer.alloc(900_000)]);
    const noZeros = Object.fromEntries(zeros.map(([name]) => [name, null]));
    const tree = quilt({ ...noZeros, 'debian/source/format': `${format}\n` });
    const outcome = made(tree, { 'a.c': 'a\n', ...Object.fromEntries(zeros) });
    await expect(outcome).rejects.toMatchObject({ code: 'source_too_large' });
    expect(await readdir(join(home, 'source'))).not.toContain('upstream');
  },
);

it('is not unpacked: a tree that git cannot list', async () => {
  await expect(unpack(await serve())).rejects.toThrow('git ls-tree: ');
});
