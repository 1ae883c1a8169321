import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { Merge, MergedCommits } from '../domain/builds/build-request.ts';
import { AirlineError } from '../domain/errors.ts';
import { shownUrl } from '../domain/access/source-url.ts';
import {
  isUploadWithdrawn,
  keepFailedMerge,
  keepMergedSource,
} from '../models/tickets/merged-source.ts';
import { removeTree } from '../sandbox/remove-tree.ts';
import { createSemaphore } from '../timing/semaphore.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { boundedTools } from './merge/bounded-tool.ts';
import { makeGitRepository } from './merge/git-repository.ts';
import { findUpstream, makeSource, unpackSource, type MadeSource } from './merge/make-source.ts';
import { signPackage, type Signing } from './sources/sign-package.ts';
import { whileWanted } from './sources/while-wanted.ts';
import { makeWorkFolder } from './sources/work-folder.ts';
import { confirmAttempt } from './temporal/confirm-attempt.ts';
import { whileHeartbeating } from './temporal/heartbeat.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'sources' | 'signing' | 'store' | 'database' | 'cancelUrlTimeoutMs' | 'cancelUrlPollMs' | 'logger'
>;

const SIGNED_FILE = /\.(?:dsc|changes)$/;

/** Names what was made of some commits. Where it is, the files are. */
const MADE = 'source.json';

/** What was made of the same commits before; `key`: of the folder in the data store that has its files. */
const madeSchema = z.object({
  key: z.string(),
  source: z.string(),
  version: z.string(),
  files: z.array(z.string()).min(1),
});
type StoredSource = MadeSource & { key: string };

/**
 * Makes the source package of a merge proposal: fetches its branches, merges the proposed one into its target, makes
 * the source package of both without running anything of it, signs it, and stores it. The subticket gets its upload
 * then, and the build its sources. The same commits are made into the same files once for each key that signs; a later
 * build of them takes those.
 *
 * Where no source can be made, the subticket has failed with the reason, and the proposal needs review again. What was
 * made before stays where that says nothing against it: the target has all of it, a branch cannot be had, or the two
 * have no common history, but the proposed one still has what it was made of.
 *
 * Whatever a worker does here for itself waits for its turn, the merge included: each command may take all the memory
 * that it is given. What fetches is not counted, so that no server that is slow keeps others waiting.
 *
 * A caller who is gone ends it: the cancel URL is asked before it, and again and again meanwhile. A try that Temporal
 * has given up changes nothing of what another has made.
 *
 * @returns the URLs of all files of the source package
 * @throws AirlineError of failure class `merge_failed` or `invalid_source`; a plain Error where a later try may help
 */
export function mergeProposal(deps: Dependencies) {
  const { sources, signing, store, database, logger } = deps;
  const inTurn = createSemaphore(sources.mergesAtOnce);
  return async (input: {
    buildId: number;
    merge: Merge;
    cancelUrl?: string | null;
  }): Promise<{ sourcePackages: string[] }> => {
    const { buildId } = input;
    let step = 'fetching';
    // A later try may have made it of later commits.
    const confirm = () => confirmAttempt({ step });
    const make = async (signal: AbortSignal) => {
      const home = await makeWorkFolder();
      try {
        const enter = (now: string) => (step = now);
        const { stored, commits } = await merged(input, home, signal, enter);
        const { key, ...made } = stored;
        const files = made.files.map((name) => ({ name, url: store.urlOf(`${key}/${name}`) }));
        signal.throwIfAborted();
        await keepMergedSource(database, { buildId, ...made, files, commits }, confirm);
        logger.info(
          { buildId, ...made, key, commits },
          'made a source package of a merge proposal',
        );
        return { sourcePackages: files.map(({ url }) => url) };
      } finally {
        await removeTree(home);
      }
    };
    try {
      return await whileHeartbeating(
        () => ({ step }),
        (signal) => whileWanted(input.cancelUrl, deps, signal, (caller) => make(caller.signal)),
      );
    } catch (error) {
      // Without a key the worker is at fault, not what is proposed.
      if (error instanceof AirlineError && error.code !== 'not_signed')
        await keepFailedMerge(database, buildId, error, confirm);
      throw error;
    }
  };

  async function merged(
    { buildId, merge }: { buildId: number; merge: Merge },
    home: string,
    signal: AbortSignal,
    enter: (step: string) => void,
  ): Promise<{ stored: StoredSource; commits: MergedCommits }> {
    if (!signing)
      throw new AirlineError('not_signed', 'No key signs what is made of merge proposals');
    const { maxBytes, memoryBytes, fileMs, gitDepth } = sources;
    const run = boundedTools(home, { maxBytes, memoryBytes, maxMs: fileMs, signal });
    const repository = await makeGitRepository(join(home, 'repository'), run, sources);
    const branch = async (url: string, name: string, as: string, depth = gitDepth) => {
      const commit = await repository.fetch(url, `refs/heads/${name}`, as, depth);
      if (commit !== undefined) return commit;
      throw new AirlineError('merge_not_possible', `${shownUrl(url)} has no branch ${name}`);
    };
    const { target_repository: url, packaging_branch: packagingBranch } = merge;
    const inItsTurn = <T>(now: string, work: () => Promise<T>): Promise<T> => {
      enter('waiting for its turn');
      return inTurn(() => {
        enter(now);
        return work();
      }, signal);
    };
    const target = await branch(url, merge.target_branch, 'target');
    const source = await branch(merge.source_repository, merge.source_branch, 'source');

    // Asked while all history is there: see what is fetched after the merge.
    const asWithdrawn = async (
      error: AirlineError,
      isOnBranch: (commit: string) => Promise<boolean>,
    ): Promise<AirlineError> => {
      const isStillProposed = async (commit: string) =>
        (await isOnBranch(commit)) || (await repository.hasChangesOf(target, commit));
      if (!(await isUploadWithdrawn(database, buildId, isStillProposed))) return error;
      return new AirlineError(
        'proposal_withdrawn',
        `${error.message}, and what the source package was made of before is no longer proposed`,
      );
    };
    const targetGivesDebian = packagingBranch === '' || packagingBranch === merge.target_branch;
    const tree = await inItsTurn('merging', async () => {
      const both = await repository.merge(target, source).catch(async (error: unknown) => {
        const isUnrelated = error instanceof AirlineError && error.code === 'merge_not_possible';
        // A target that is too far ahead says nothing against a branch that went on.
        const isOnBranch = (commit: string) => repository.hasInHistory(source, commit);
        throw isUnrelated ? await asWithdrawn(error, isOnBranch) : error;
      });
      // Else what is made may be new all the same: with another debian/.
      if (targetGivesDebian && both === (await repository.treeOf(target)))
        throw await asWithdrawn(
          new AirlineError(
            'nothing_to_merge',
            'There is nothing to merge: the target branch has all changes of the proposed branch already',
          ),
          // Further down in its history, it may have been reverted above.
          async (commit) => commit === source,
        );
      return both;
    });
    // After the merge: what is fetched without its history ends the history of the other branches, too.
    enter('fetching');
    const packaging =
      packagingBranch === '' ? undefined : await branch(url, packagingBranch, 'packaging', 1);
    const folder = join(home, 'source');
    const unpacked = await inItsTurn('unpacking', async () => {
      if (packaging !== undefined && !(await repository.hasFolder(packaging, 'debian')))
        throw new AirlineError(
          'merge_not_possible',
          `The branch ${packagingBranch} has no folder debian`,
        );
      await mkdir(folder);
      return unpackSource(repository, run, { tree, target, packaging, folder });
    });
    enter('fetching');
    const commitOfTag = async (tags: readonly string[]) => {
      for (const tag of tags) {
        const commit = await repository.fetch(url, `refs/tags/${tag}`, 'upstream', 1);
        if (commit !== undefined) return commit;
      }
      return undefined;
    };
    const { upstreamVersion } = unpacked;
    const upstream =
      upstreamVersion === undefined ? undefined : await findUpstream(upstreamVersion, commitOfTag);
    const commits = {
      source,
      target,
      packaging: packaging ?? null,
      upstream: upstream?.commit ?? null,
    };
    const key = keyOf([target, source, packaging, upstream?.commit, signing.keyId]);
    const earlier = await readStored(key);
    if (earlier) return { stored: earlier, commits };
    const own = await inItsTurn('making the source package', async () => {
      const made = await makeSource(repository, run, unpacked, { upstream, folder });
      enter('storing');
      return storeSource(key, made, folder, signing, signal);
    });
    return { stored: await keepFirst(key, own), commits };
  }

  /**
   * Signs the files of a folder, and stores them in one of their own: a try that was thought dead may do so, too. Where
   * it cannot store all, it removes what it has stored.
   */
  async function storeSource(
    key: string,
    made: MadeSource,
    folder: string,
    by: Signing,
    signal: AbortSignal,
  ): Promise<StoredSource> {
    const control = new Map<string, Buffer>();
    for (const name of made.files)
      if (SIGNED_FILE.test(name)) control.set(name, await readFile(join(folder, name)));
    const signed = await signPackage(control, by, signal);
    const own = { ...made, key: `${key}/${randomUUID()}` };
    try {
      for (const name of made.files) {
        signal.throwIfAborted();
        const content = signed.get(name);
        const stream = content ? Readable.from([content]) : createReadStream(join(folder, name));
        await store.put(`${own.key}/${name}`, stream);
      }
    } catch (error) {
      // No later try looks here. A put that failed may have stored its file all the same.
      await Promise.allSettled(made.files.map((name) => store.remove(`${own.key}/${name}`)));
      throw error;
    }
    return own;
  }

  /** @returns what was kept first: each try has signatures of its own, and all give the files of one */
  async function keepFirst(key: string, own: StoredSource): Promise<StoredSource> {
    const text = Readable.from([JSON.stringify(own)]);
    const { isKept } = await store.put(`${key}/${MADE}`, text, { keepsFirst: true });
    const first = isKept ? own : ((await readStored(key)) ?? own);
    if (first.key !== own.key)
      for (const name of own.files) await store.remove(`${own.key}/${name}`);
    return first;
  }

  async function readStored(key: string): Promise<StoredSource | undefined> {
    const stored = await store.get(`${key}/${MADE}`);
    return stored && madeSchema.parse(await json(stored.stream));
  }
}

/**
 * Every commit has a say: a tag may be another one in another repository, or later. So has the key that signs: the
 * signature of an earlier one may be worth nothing by now.
 */
function keyOf(madeOf: readonly (string | undefined)[]): string {
  return `proposals/${createHash('sha256').update(madeOf.join(' ')).digest('hex')}`;
}
