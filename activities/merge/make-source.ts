import { open, readdir, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { upstreamVersion } from '../../domain/debian-version.ts';
import { AirlineError } from '../../domain/errors.ts';
import { GIT_BRANCH } from '../../domain/project.ts';
import { fileStem, SOURCE_NAME, SOURCE_VERSION } from '../../domain/source-file.ts';
import { said, type GitRepository } from './git-repository.ts';
import type { RunTool } from './bounded-tool.ts';

/** Those that dpkg-source makes of files alone; others ask a version control system, which runs what it is told to. */
const FORMATS = ['1.0', '3.0 (native)', '3.0 (quilt)'];
const MAX_FORMAT_BYTES = 100;

/** A source package, unsigned: its files in a folder. */
export type MadeSource = {
  source: string;
  version: string;
  /** Its names, the `.changes` last. */
  files: string[];
};

/**
 * Makes the source package of a tree, without running anything of it: dpkg-source and dpkg-genchanges read it, and its
 * `debian/rules` is for the builder's sandbox alone.
 *
 * @param packaging tree or commit with the folder `debian`, where the tree itself is not to give it
 * @param upstreamTag gives the commit of one of these tags, the first that there is; undefined where there is none
 * @param folder empty; the files are in it afterwards
 * @throws AirlineError `source_not_made`, `source_too_large`
 */
export async function makeSource(
  repository: GitRepository,
  run: RunTool,
  {
    tree,
    packaging,
    upstreamTag,
    folder,
  }: {
    tree: string;
    packaging: string | undefined;
    upstreamTag: (names: readonly string[]) => Promise<string | undefined>;
    folder: string;
  },
): Promise<MadeSource> {
  const work = join(folder, 'tree');
  await extract(repository, run, tree, folder, 'tree');
  if (packaging !== undefined) {
    await rm(join(work, 'debian'), { recursive: true, force: true });
    await extract(repository, run, `${packaging}:debian`, folder, 'tree/debian');
  }
  await assertNoWayOut(work);
  // Whatever it lists is not of this source; dpkg-genchanges would read it.
  await rm(join(work, 'debian', 'files'), { force: true });
  const format = await readFormat(work);
  const { source, version, upstream } = await readChangelog(run, work);
  if (format === '3.0 (quilt)' || (format === '1.0' && version.includes('-'))) {
    // As git-buildpackage names them (DEP 14).
    const mangled = upstream.replaceAll('~', '_');
    const tags = [`upstream/${mangled}`, `v${mangled}`, mangled];
    const commit = await upstreamTag(tags.filter((tag) => GIT_BRANCH.test(tag)));
    if (commit === undefined)
      throw notMade(`the target repository has none of the tags ${tags.join(', ')}`);
    const prefix = `${source}-${upstream}`;
    await repository.archive(commit, join(folder, `${source}_${upstream}.orig.tar.gz`), prefix);
  }
  await must(run, 'dpkg-source', ['--build', 'tree'], folder);
  const changes = `${fileStem({ source, version })}_source.changes`;
  await must(run, 'dpkg-genchanges', ['-S', '-sa', '-q', `-O../${changes}`], work);
  await rm(work, { recursive: true, force: true });
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${source}_`));
  return { source, version, files: [...names.filter((name) => name !== changes), changes] };
}

async function extract(
  repository: GitRepository,
  run: RunTool,
  tree: string,
  folder: string,
  into: string,
): Promise<void> {
  const archive = join(folder, 'extracted.tar');
  await repository.archive(tree, archive, into);
  // tar makes links that lead elsewhere last of all, so that nothing is written through one.
  await must(run, 'tar', ['--extract', '--no-same-owner', `--file=${archive}`], folder);
  await rm(archive);
}

/**
 * Refuses a link within `debian` that leads out of the tree: dpkg-source would read what is there, such as a file of the
 * worker's own, and tell of it. Other links are packed as links.
 */
async function assertNoWayOut(work: string): Promise<void> {
  const root = await realpath(work);
  const debian = join(work, 'debian');
  const assertInside = async (path: string) => {
    const target = await realpath(path).catch(() => undefined);
    if (target !== undefined && !target.startsWith(root + sep))
      throw notMade(`${path.slice(work.length + 1)} is a link that leads out of the tree`);
  };
  await assertInside(debian);
  const entries = await readdir(debian, { recursive: true, withFileTypes: true }).catch(() => []);
  if (entries.length === 0) throw notMade('the merged tree has no folder debian with files');
  for (const entry of entries)
    if (entry.isSymbolicLink()) await assertInside(join(entry.parentPath, entry.name));
}

async function readFormat(work: string): Promise<string> {
  const file = await open(join(work, 'debian', 'source', 'format')).catch(() => undefined);
  if (!file) return '1.0';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FORMAT_BYTES));
    const format = buffer.toString('utf8', 0, bytesRead).trim();
    if (!FORMATS.includes(format))
      throw notMade(`its format ${JSON.stringify(format)} is none of ${FORMATS.join(', ')}`);
    return format;
  } finally {
    await file.close();
  }
}

async function readChangelog(run: RunTool, work: string) {
  const text = await must(run, 'dpkg-parsechangelog', ['--count', '1'], work);
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const [source, version] = [field('Source'), field('Version')];
  if (!SOURCE_NAME.test(source) || !SOURCE_VERSION.test(version))
    throw notMade('its debian/changelog does not begin with a source package and a version');
  return { source, version, upstream: upstreamVersion(version) };
}

/** @throws AirlineError with what the tool said; a plain Error where it took too long */
async function must(
  run: RunTool,
  program: string,
  args: readonly string[],
  directory: string,
): Promise<string> {
  const result = await run(program, args, { directory });
  if (result.exitCode === 0) return result.stdout;
  if (result.isTooLarge)
    throw new AirlineError('source_too_large', `${program}: a file becomes too large`);
  if (result.isTimedOut) throw new Error(`${program}: ${said(result)}`);
  throw notMade(`${program}: ${said(result)}`);
}

function notMade(why: string): AirlineError {
  return new AirlineError('source_not_made', `No source package can be made: ${why}`);
}
