import { suiteOf } from '../../domain/packages/archive.ts';
import type { Distributions } from '../options.ts';
import type { Accounts } from './accounts.ts';
import type { ArchiveState } from './archive-state.ts';
import { CannotCopy, checkCopy, fileOf } from './copy-checks.ts';
import { deletePublication } from './delete-publication.ts';
import { keepFile } from './file-checks.ts';
import { archiveOf, type Layout } from './layout.ts';
import { pocketRefusal } from './pockets.ts';
import {
  isActive,
  newBuild,
  now,
  type BinaryPublication,
  type Copy,
  type Publication,
  type SourcePublication,
} from './records.ts';
import { binariesOf, findSource, missingBuilds } from './releases.ts';
import { DEFAULT_EXPIRY_MS } from '../script/archive-behaviour.ts';
import type { ScriptFile } from '../script/script.ts';

export type CopyDependencies = {
  state: ArchiveState;
  layout: Layout;
  distributions: Distributions;
  accounts: Accounts;
  script: ScriptFile | undefined;
};

/** What is copied: a source, and those of its packages that the target lacks. */
type Plan = { origin: SourcePublication; binaries: BinaryPublication[] };

/**
 * Checks a copy and makes it, in one transaction after its files are in place.
 *
 * @throws CannotCopy where Launchpad would not; another error where the machine failed
 */
export async function makeCopy(copy: Copy, dependencies: CopyDependencies): Promise<void> {
  const { state, script } = dependencies;
  await keepFiles(planOf(copy, dependencies), copy, dependencies);
  // Somebody may have published or deleted something while files were put in place.
  const { origin, binaries } = planOf(copy, dependencies);
  const fails = script?.copy(copy.source)?.fails;
  if (fails !== undefined) throw cannotCopy(origin, fails);
  const { archive, series, pocket } = copy;
  const fresh = {
    archive,
    series,
    pocket,
    status: 'Pending',
    createdAt: now(),
    publishedAt: null,
    supersededAt: null,
    removedAt: null,
  } as const;
  state.transact((transaction) => {
    const { nextId, put } = transaction;
    let publication = state.publicationsOf(origin.releaseId).find(isActiveAt(copy));
    if (!publication) {
      publication = { ...origin, ...fresh, id: nextId(), removalComment: null, uploadId: null };
      put('source', publication);
    }
    for (const { architecture, buildsArchitectureAll } of missingBuilds(
      state,
      origin,
      copy,
      binaries,
    ))
      put('build', newBuild(nextId(), publication, { architecture, buildsArchitectureAll }));
    for (const binary of binaries) put('binary', { ...binary, ...fresh, id: nextId() });
    if (copy.move)
      deletePublication(
        state,
        transaction,
        origin,
        `Moved to ${suiteOf(series, pocket)} in ${archive}`,
      );
    put('copy', { ...copy, isDone: true, queueStatus: copy.queueStatus && 'Done' });
  });
}

/** @throws CannotCopy */
function planOf(copy: Copy, { state, distributions, accounts, script }: CopyDependencies): Plan {
  const { source, version, series, pocket, includeBinaries } = copy;
  const archive = archiveOf(copy.archive);
  const refusal =
    pocketRefusal({ archive, series, pocket }, script) ??
    accounts.refusalOfToken(copy.token, archive);
  if (refusal !== undefined) throw new CannotCopy(refusal);
  // Nobody administers a queue here.
  if (copy.silent) throw new CannotCopy('Silent copies need queue admin privileges on the target.');
  const origin = findSource(state, copy.fromArchive, {
    source,
    version,
    series: copy.fromSeries,
    pocket: copy.fromPocket,
  });
  if (!origin) throw new CannotCopy(`Package '${source}' '${version}' not found.`);
  const expireAfterMs = script?.deletion(source)?.expireAfterMs ?? DEFAULT_EXPIRY_MS;
  const isExpired = ({ status, supersededAt }: Publication) =>
    status === 'Deleted' && Date.now() >= Date.parse(supersededAt ?? '') + expireAfterMs;
  const target = { archive, series, pocket, includeBinaries };
  try {
    checkCopy(origin, target, { state, distributions, isExpired });
  } catch (error) {
    throw error instanceof CannotCopy ? cannotCopy(origin, error.message) : error;
  }
  const there = new Set(state.binaries(copy.archive).filter(isActiveAt(copy)).map(fileOf));
  const missing = new Map(
    (includeBinaries ? binariesOf(state, origin) : [])
      .filter((one) => !there.has(fileOf(one)))
      .map((one) => [fileOf(one), one]),
  );
  return { origin, binaries: [...missing.values()] };
}

/** Puts the files of a copy into the folders of its archive, as far as they are not there. */
async function keepFiles(
  { origin, binaries }: Plan,
  { archive }: Copy,
  { state, layout }: CopyDependencies,
): Promise<void> {
  if (origin.archive === archive) return;
  const held = new Set([
    ...state
      .sources(archive)
      .flatMap(({ source, files }) => files.map(({ name }) => `${source} ${name}`)),
    ...state.binaries(archive).map(({ source, file }) => `${source} ${file.name}`),
  ]);
  for (const { name } of [...origin.files, ...binaries.map(({ file }) => file)])
    if (!held.has(`${origin.source} ${name}`))
      await keepFile(
        layout.poolFile(origin.archive, origin.source, name),
        layout.poolFile(archive, origin.source, name),
      );
  // What a script has published has no files.
  if (origin.files.length > 0)
    await keepFile(
      layout.changesFile(origin.archive, origin.changes.name),
      layout.changesFile(archive, origin.changes.name),
    );
}

function isActiveAt({ archive, series, pocket }: Copy): (one: Publication) => boolean {
  return (one) =>
    isActive(one) && one.archive === archive && one.series === series && one.pocket === pocket;
}

/** As Launchpad says it in its mail. */
function cannotCopy({ source, version, series }: SourcePublication, why: string): CannotCopy {
  return new CannotCopy(`${source} ${version} in ${series} (${why})`);
}
