import type { LookupAddress } from 'node:dns';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { AirlineError, type ErrorCode } from '../../domain/errors.ts';
import { listed } from '../../domain/text/listed.ts';
import { assertUrlAllowed, portOf, shownUrl } from '../../domain/access/source-url.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tooLarge } from '../sources/open-source.ts';
import { dialRule } from '../sources/source-address.ts';
import { said, type RunTool } from './bounded-tool.ts';

const MAX_NAMED_FILES = 20;
/** Of a tree, its folders included: several times what the kernel has. */
const MAX_TREE_FILES = 500_000;
/** Counts no further: a tree of some kilobytes may name the same files again and again, without an end. */
const COUNT_LINES = `git "$@" | head --lines=${MAX_TREE_FILES + 1} | wc --lines`;
/** quilt's own folder is of no source, and dpkg-source writes through the links in it. */
const WITHOUT_QUILT = ['.', ':(exclude).pc'];
/** Git knows it in each repository. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** A server that answers so will answer so again. */
const FINAL =
  /couldn't find remote ref|not found|could not read Username|Authentication failed|does not support shallow|returned error: (?!408|425|429)[34]\d\d|not valid: is this a git repository|mismatched algorithms/i;

const NOT_MERGED: readonly ErrorCode[] = ['merge_conflict', 'merge_not_possible'];

/**
 * Files are what the commits hold: nothing of `.gitattributes` is applied, so that no filter or driver has a say. This
 * file goes before all others (gitattributes).
 */
const NO_ATTRIBUTES =
  '* -text !eol !crlf -ident !filter !diff !merge !working-tree-encoding -export-ignore -export-subst\n';

/** No hook, no helper, no submodule, no redirect, no other protocol, no maintenance; one pack for each fetch. */
const CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'credential.helper=',
  'protocol.allow=never',
  'protocol.http.allow=always',
  'protocol.https.allow=always',
  'http.followRedirects=false',
  'transfer.bundleURI=false',
  'fetch.recurseSubmodules=false',
  'fetch.unpackLimit=1',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

/** A bare repository of the worker's own, into which branches of others are fetched. Nothing is ever checked out. */
export type GitRepository = {
  /**
   * Fetches a branch or tag, and the commits behind it.
   *
   * @param ref as the server has it: `refs/heads/main`
   * @param as the name that it gets here
   * @returns its commit; undefined where the server has no such ref
   * @throws AirlineError `host_not_allowed`, `address_not_allowed`, `credentials_in_url`, `source_too_large`,
   * `merge_not_possible`; a plain Error where a later try may help
   */
  fetch(url: string, ref: string, as: string, depth: number): Promise<string | undefined>;
  /**
   * Merges a commit into another.
   *
   * @returns the tree of both
   * @throws AirlineError `merge_conflict` with the files, `merge_not_possible`, `source_too_large`
   */
  merge(target: string, source: string): Promise<string>;
  /** The tree of a commit. */
  treeOf(commit: string): Promise<string>;
  /**
   * Whether a commit has all that another has changed, by the same commits or by others: a merge of it changes nothing.
   * So it is, too, where the commit has the other in its history, and has reverted it since. Not where they conflict,
   * or where what has to be compared was not fetched.
   *
   * @throws AirlineError `source_too_large`
   */
  hasChangesOf(commit: string, other: string): Promise<boolean>;
  /** Whether another commit is in the history of a commit, or is that commit, as far as was fetched. */
  hasInHistory(commit: string, other: string): Promise<boolean>;
  /**
   * Writes to a file the paths that a tree has and another has not, or with other contents, each ended by a NUL: those
   * of files, links and submodules. None is of the folder `.pc` at its top.
   *
   * @param since the other tree or commit; by default one without any path
   * @param except a folder at the top whose paths are left out
   * @param prefix of each path
   * @throws AirlineError `source_too_large`
   */
  listChanges(
    tree: string,
    path: string,
    options: { since?: string | undefined; except?: string | undefined; prefix: string },
  ): Promise<void>;
  /** Whether a tree has a folder at a path. */
  hasFolder(tree: string, path: string): Promise<boolean>;
  /**
   * Writes a tree or commit as the archive that the path's name says, without the folder `.pc` at its top. It has at
   * most 500,000 files and folders.
   *
   * @throws AirlineError `source_too_large`
   */
  archive(tree: string, path: string, prefix: string): Promise<void>;
};

/**
 * Makes the repository in a folder.
 *
 * @param run bounds each command in time, in memory and in the size of what it writes
 */
export async function makeGitRepository(
  folder: string,
  run: RunTool,
  { rule, resolve, maxBytes, idleTimeoutMs }: ActivityDependencies['sources'],
): Promise<GitRepository> {
  await mkdir(folder, { recursive: true });
  const here = [...CONFIGURATION, `--git-dir=${folder}`];
  const git = (...args: string[]) => run('git', [...here, ...args], { directory: folder });
  const must = async (...args: string[]): Promise<string> => {
    const result = await git(...args);
    if (result.exitCode !== 0) throw new Error(`git ${args[0]}: ${said(result)}`);
    return result.stdout.trim();
  };
  const has = async (tree: string, path: string) =>
    (await git('cat-file', '-e', `${tree}:${path}`)).exitCode === 0;
  /** Of the process that writes the pack, git says only that it is gone; the pack has the size that it may have. */
  const holdsCutPack = async () => {
    const packs = join(folder, 'objects', 'pack');
    for (const name of await readdir(packs).catch(() => []))
      if ((await stat(join(packs, name))).size >= maxBytes) return true;
    return false;
  };
  const assertFewFiles = async (tree: string) => {
    const listing = [...here, 'ls-tree', '-r', '-t', '--object-only', tree];
    const result = await run('sh', ['-c', COUNT_LINES, 'sh', ...listing], { directory: folder });
    // The pipe ends as its last program does; git says nothing where enough is counted.
    if (result.exitCode !== 0 || result.stderr !== '')
      throw new Error(`git ls-tree: ${said(result)}`);
    if (Number(result.stdout) > MAX_TREE_FILES)
      throw new AirlineError(
        'source_too_large',
        `The tree has more than ${MAX_TREE_FILES} files and folders`,
      );
  };
  const merge = async (target: string, source: string): Promise<string> => {
    const result = await git(
      'merge-tree',
      '--write-tree',
      '--name-only',
      '--no-messages',
      '-z',
      target,
      source,
    );
    const [tree = '', ...files] = result.stdout.split('\0').filter((part) => part !== '');
    if (result.exitCode === 0) return tree;
    if (result.exitCode === 1) throw conflictIn(files);
    if (/unrelated histories/.test(result.stderr))
      throw new AirlineError(
        'merge_not_possible',
        'The branches have no commit in common among those that were fetched',
      );
    throw new Error(`git merge-tree: ${said(result)}`);
  };
  const treeOf = (commit: string) => must('rev-parse', '--verify', `${commit}^{tree}`);
  await must('init', '--bare', '--quiet', '--template=');
  await mkdir(join(folder, 'info'), { recursive: true });
  await writeFile(join(folder, 'info', 'attributes'), NO_ATTRIBUTES);

  return {
    async fetch(url, ref, as, depth) {
      assertUrlAllowed(url, rule);
      const pins = await pinnedAddresses(url, rule, resolve);
      const settings = [...pins, 'http.lowSpeedLimit=1'];
      settings.push(`http.lowSpeedTime=${Math.ceil(idleTimeoutMs / 1_000)}`);
      const result = await run(
        'git',
        [
          ...here,
          ...settings.flatMap((setting) => ['-c', setting]),
          'fetch',
          '--quiet',
          '--no-tags',
          '--no-write-fetch-head',
          '--no-recurse-submodules',
          `--depth=${depth}`,
          url,
          `+${ref}:refs/airline/${as}`,
        ],
        { directory: folder, asksServer: true },
      );
      if (result.exitCode === 0) {
        const found = await git('rev-parse', '--verify', `refs/airline/${as}^{commit}`);
        if (found.exitCode === 0) return found.stdout.trim();
        throw new AirlineError('merge_not_possible', `${ref} of ${shownUrl(url)} is no commit`);
      }
      if (result.isTooLarge || (await holdsCutPack())) throw tooLarge(url, maxBytes);
      if (/couldn't find remote ref/.test(result.errors)) return undefined;
      const message = `${ref} of ${shownUrl(url)} could not be fetched: ${said(result)}`;
      if (!result.isTimedOut && FINAL.test(result.errors))
        throw new AirlineError('merge_not_possible', message);
      throw new Error(message);
    },

    merge,

    treeOf,

    async hasChangesOf(commit, other) {
      const isFetched = (await git('cat-file', '-e', `${other}^{commit}`)).exitCode === 0;
      if (!isFetched) return false;
      try {
        return (await merge(commit, other)) === (await treeOf(commit));
      } catch (error) {
        if (error instanceof AirlineError && NOT_MERGED.includes(error.code)) return false;
        throw error;
      }
    },

    async hasInHistory(commit, other) {
      return (await git('merge-base', '--is-ancestor', other, commit)).exitCode === 0;
    },

    async listChanges(tree, path, { since = EMPTY_TREE, except, prefix }) {
      const result = await git(
        'diff-tree',
        '-r',
        '--no-renames',
        '--diff-filter=d',
        '--name-only',
        '-z',
        `--line-prefix=${prefix}`,
        `--output=${path}`,
        since,
        tree,
        '--',
        ...WITHOUT_QUILT,
        ...(except === undefined ? [] : [`:(exclude)${except}`]),
      );
      if (result.isTooLarge) throw treeTooLarge(maxBytes);
      if (result.exitCode !== 0) throw new Error(`git diff-tree: ${said(result)}`);
    },

    async hasFolder(tree, path) {
      return (await git('cat-file', '-t', `${tree}:${path}`)).stdout.trim() === 'tree';
    },

    async archive(tree, path, prefix) {
      await assertFewFiles(tree);
      const paths = (await has(tree, '.pc')) ? ['--', ...WITHOUT_QUILT] : [];
      const result = await git(
        'archive',
        `--prefix=${prefix}/`,
        `--output=${path}`,
        tree,
        ...paths,
      );
      if (result.isTooLarge) throw treeTooLarge(maxBytes);
      if (result.exitCode !== 0) throw new Error(`git archive: ${said(result)}`);
    },
  };
}

function treeTooLarge(maxBytes: number): AirlineError {
  return new AirlineError('source_too_large', `The tree is larger than ${maxBytes} bytes`);
}

function conflictIn(files: readonly string[]): AirlineError {
  return new AirlineError(
    'merge_conflict',
    `The branch does not merge: conflicts in ${listed(files, MAX_NAMED_FILES)}`,
  );
}

/** Has git dial only addresses that were judged, whatever the name leads to a moment later: one after another. */
async function pinnedAddresses(
  url: string,
  rule: ActivityDependencies['sources']['rule'],
  resolve: ActivityDependencies['sources']['resolve'],
): Promise<string[]> {
  const parsed = new URL(url);
  const { lookup, refusal } = dialRule(parsed, rule, resolve);
  if (refusal) throw refusal;
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) > 0) return [];
  const judged = await new Promise<LookupAddress[]>((found, reject) => {
    lookup(host, { all: true }, (error, addresses) =>
      error ? reject(error) : found(addresses as LookupAddress[]),
    );
  });
  const shown = judged.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
  return [`http.curloptResolve=${host}:${portOf(parsed)}:${shown.join(',')}`];
}
