import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { upstreamVersion } from '../../domain/packages/debian-version.ts';
import { AirlineError } from '../../domain/errors.ts';
import { sectionProblem } from '../../domain/packages/changes-problem.ts';
import { GIT_BRANCH } from '../../domain/tickets/project.ts';
import { SOURCE_FORMATS } from '../../domain/packages/source-format.ts';
import { fileStem, SOURCE_NAME, SOURCE_VERSION } from '../../domain/packages/source-file.ts';
import { parseChanges } from '../../domain/packages/source-package.ts';
import { removeTree } from '../../sandbox/remove-tree.ts';
import { assertComplete } from './assert-complete.ts';
import { assertComparable, assertNoWayOut, assertPatchable, notMade } from './assert-contained.ts';
import { said, type RunTool } from './bounded-tool.ts';
import type { GitRepository } from './git-repository.ts';

const MAX_FORMAT_BYTES = 100;
/** Has the `patch` that makes no links, and the `diff` that reads through none. */
const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));

/** A source package, unsigned: its files in a folder. */
export type MadeSource = {
  source: string;
  version: string;
  /** Its names, the `.changes` last. */
  files: string[];
};

/** A tree that is unpacked, and what its packaging says. */
export type UnpackedSource = {
  source: string;
  version: string;
  format: string;
  /** Undefined where it has none. */
  upstreamVersion: string | undefined;
};

/** What the tarball of an upstream version is made of. */
export type UpstreamSource = { version: string; commit: string };

/**
 * Unpacks a tree, and reads what source package it is.
 *
 * @param target the tree or commit that was merged into
 * @param packaging tree or commit with the folder `debian`, where the tree itself is not to give it
 * @param folder empty; `makeSource` goes on in it
 * @throws AirlineError `source_not_made`, `source_too_large`
 */
export async function unpackSource(
  repository: GitRepository,
  run: RunTool,
  {
    tree,
    target,
    packaging,
    folder,
  }: {
    tree: string;
    target: string;
    packaging: string | undefined;
    folder: string;
  },
): Promise<UnpackedSource> {
  const work = join(folder, 'tree');
  await extract(repository, run, tree, folder, 'tree');
  const except = packaging === undefined ? undefined : 'debian';
  await assertComplete(repository, run, { tree, since: target, except, folder, into: 'tree' });
  if (packaging !== undefined) {
    const debian = `${packaging}:debian`;
    await removeTree(join(work, 'debian'));
    await extract(repository, run, debian, folder, 'tree/debian');
    await assertComplete(repository, run, { tree: debian, folder, into: 'tree/debian' });
  }
  await assertNoWayOut(run, work);
  const format = await readFormat(work);
  const { source, version } = await readChangelog(run, work);
  if (format === '3.0 (native)' || (format === '1.0' && !version.includes('-')))
    return { source, version, format, upstreamVersion: undefined };
  return { source, version, format, upstreamVersion: upstreamVersion(version) };
}

/**
 * Finds what an upstream version is made of, by its tag.
 *
 * @param commitOf gives the commit of one of these tags, the first that there is; undefined where there is none
 * @throws AirlineError `source_not_made` where there is none; what `commitOf` throws
 */
export async function findUpstream(
  version: string,
  commitOf: (tags: readonly string[]) => Promise<string | undefined>,
): Promise<UpstreamSource> {
  // As git-buildpackage names them (DEP 14).
  const mangled = version.replaceAll('~', '_');
  const tags = [`upstream/${mangled}`, `v${mangled}`, mangled];
  const commit = await commitOf(tags.filter((tag) => GIT_BRANCH.test(tag)));
  if (commit === undefined)
    throw notMade(`the target repository has none of the tags ${tags.join(', ')}`);
  return { version, commit };
}

/**
 * Makes the source package of what was unpacked, without running anything of it: dpkg-source and dpkg-genchanges read
 * it, and its `debian/rules` is for the builder's sandbox alone.
 *
 * @param upstream of its upstream version
 * @param folder of `unpackSource`; the files are in it afterwards
 * @throws AirlineError `source_not_made`, `source_too_large`, `malformed_control_file`
 */
export async function makeSource(
  repository: GitRepository,
  run: RunTool,
  { source, version, format }: UnpackedSource,
  { upstream, folder }: { upstream: UpstreamSource | undefined; folder: string },
): Promise<MadeSource> {
  const work = join(folder, 'tree');
  if (upstream) {
    // Before its tarball, whose size says nothing of what dpkg-source will unpack. It does so beside the tree, and
    // applies all patches there, too: links lead to the same from here.
    await extract(repository, run, upstream.commit, folder, 'upstream');
    const hasPatches = format === '3.0 (quilt)';
    if (hasPatches) {
      await assertPatchable(run, work);
      await assertPatchable(run, join(folder, 'upstream'));
    }
    // With patches, `debian` is that of the tree on both sides.
    await assertComparable(run, join(folder, 'upstream'), { work, exceptDebian: hasPatches });
    await removeTree(join(folder, 'upstream'));
    const tarball = join(folder, `${source}_${upstream.version}.orig.tar.gz`);
    await repository.archive(upstream.commit, tarball, `${source}-${upstream.version}`);
  }
  await must(run, 'dpkg-source', ['--build', 'tree'], folder);
  // Whatever it lists is not of this source, and a patch may have made it; dpkg-genchanges would read it.
  await removeTree(join(work, 'debian', 'files'));
  const changes = `${fileStem({ source, version })}_source.changes`;
  await must(run, 'dpkg-genchanges', ['-S', '-sa', '-q', `-O../${changes}`], work);
  await removeTree(work);
  const text = await readFile(join(folder, changes), 'utf8');
  const problem = sectionProblem(parseChanges(text, changes));
  if (problem !== undefined) throw notMade(problem);
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

async function readFormat(work: string): Promise<string> {
  const file = await open(join(work, 'debian', 'source', 'format')).catch(() => undefined);
  if (!file) return '1.0';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FORMAT_BYTES));
    const format = buffer.toString('utf8', 0, bytesRead).trim();
    if (!SOURCE_FORMATS.includes(format))
      throw notMade(`its format ${JSON.stringify(format)} is none of ${SOURCE_FORMATS.join(', ')}`);
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
  return { source, version };
}

/** @throws AirlineError with what the tool said */
async function must(
  run: RunTool,
  program: string,
  args: readonly string[],
  directory: string,
): Promise<string> {
  const result = await run(program, args, { directory, programs: PROGRAMS });
  if (result.exitCode === 0) return result.stdout;
  if (result.isTooLarge)
    throw new AirlineError('source_too_large', `${program}: a file becomes too large`);
  throw notMade(`${program}: ${said(result)}`);
}
