import type { Logger } from 'pino';
import { suiteOf } from '../../domain/packages/archive.ts';
import { compareVersions } from '../../domain/packages/debian-version.ts';
import type { ArchiveState } from './archive-state.ts';
import { isActive, now, supersedeBuilds, type Publication } from './records.ts';
import type { ScriptFile } from '../script/script.ts';
import { writeSuite, type Suite, type SuiteDependencies } from './write-suite.ts';

export type PublisherDependencies = SuiteDependencies & {
  state: ArchiveState;
  script: ScriptFile | undefined;
  logger: Logger;
};

/**
 * Publishes what is pending: writes and signs the apt repository of every suite that has changed, then marks
 * publications as Published and older ones as Superseded. What was deleted leaves the indexes. What fails stays as it
 * is for the next run.
 *
 * @returns the suites that have changed
 */
export async function publishPending(dependencies: PublisherDependencies): Promise<Suite[]> {
  const { logger } = dependencies;
  const published: Suite[] = [];
  for (const suite of changedSuites(dependencies)) {
    try {
      await publishSuite(suite, dependencies);
      published.push(suite);
    } catch (error) {
      logger.error({ err: error, ...suite }, 'publishing failed; it is tried again');
    }
  }
  return published;
}

function changedSuites({ state, script }: PublisherDependencies): Suite[] {
  const suites = new Map<string, Suite>();
  for (const one of [...state.sources(), ...state.binaries()]) {
    const { archive, series, pocket } = one;
    if (isDue(one, script))
      suites.set(`${archive} ${suiteOf(series, pocket)}`, { archive, series, pocket });
  }
  return [...suites.values()];
}

/** Whether the indexes have to change for a publication. */
function isDue(one: Publication, script: ScriptFile | undefined): boolean {
  if (one.status === 'Deleted') return one.removedAt === null && !isStillListed(one, script);
  return one.status === 'Pending' && !isHeldBack(one, script);
}

/** A package that is Pending for as long as the script says. */
function isHeldBack(one: Publication, script: ScriptFile | undefined): boolean {
  if (one.status !== 'Pending' || !('buildId' in one)) return false;
  const waitMs = script?.source(one.source)?.publishAfterMs ?? 0;
  return Date.now() < Date.parse(one.createdAt) + waitMs;
}

/** One that was deleted, and that stays in the indexes for as long as the script says. */
function isStillListed(one: Publication, script: ScriptFile | undefined): boolean {
  if (one.status !== 'Deleted' || one.removedAt !== null) return false;
  const afterMs = script?.deletion(one.source)?.afterMs ?? 0;
  return Date.now() < Date.parse(one.supersededAt ?? one.createdAt) + afterMs;
}

async function publishSuite(suite: Suite, dependencies: PublisherDependencies): Promise<void> {
  const { state, script, logger } = dependencies;
  const { archive } = suite;
  const isOfSuite = ({ series, pocket }: Publication) =>
    series === suite.series && pocket === suite.pocket;
  const isListed = (one: Publication) =>
    (isActive(one) && !isHeldBack(one, script)) || isStillListed(one, script);
  const allSources = state.sources(archive).filter(isOfSuite);
  const allBinaries = state.binaries(archive).filter(isOfSuite);
  const sources = dominate(allSources.filter(isListed), (one) => one.source);
  const binaries = dominate(
    allBinaries.filter(isListed),
    (one) => `${one.name} ${one.architecture}`,
  );
  const listed = new Set<Publication>([...sources.live, ...binaries.live]);
  const removed = (one: Publication) =>
    one.status === 'Deleted' && one.removedAt === null && !listed.has(one);
  await writeSuite(suite, sources.live, binaries.live, dependencies);
  // What has changed since, because somebody deleted it, is left to the next round.
  const isUnchanged = (one: Publication) =>
    ('buildId' in one ? state.binary(one.id) : state.source(one.id)) === one;
  state.transact(({ put }) => {
    const at = now();
    const published = { status: 'Published', publishedAt: at } as const;
    const superseded = { status: 'Superseded', supersededAt: at } as const;
    const isPending = (one: Publication) => one.status === 'Pending' && isUnchanged(one);
    for (const one of sources.live.filter(isPending)) put('source', { ...one, ...published });
    for (const one of binaries.live.filter(isPending)) put('binary', { ...one, ...published });
    const isBeaten = (one: Publication) => isActive(one) && isUnchanged(one);
    for (const one of binaries.superseded.filter(isBeaten))
      put('binary', { ...one, ...superseded });
    for (const one of sources.superseded.filter(isBeaten)) {
      put('source', { ...one, ...superseded });
      for (const build of supersedeBuilds(state.buildsOfSource(one.id))) put('build', build);
    }
    for (const one of allSources.filter(removed)) put('source', { ...one, removedAt: at });
    for (const one of allBinaries.filter(removed)) put('binary', { ...one, removedAt: at });
  });
  logger.info(
    { ...suite, sources: sources.live.length, binaries: binaries.live.length },
    'repository published',
  );
}

/** Launchpad's domination: of each name only the highest version lives; the others are superseded. */
function dominate<Kind extends Publication>(
  publications: Kind[],
  nameOf: (publication: Kind) => string,
): { live: Kind[]; superseded: Kind[] } {
  const live = new Map<string, Kind>();
  const superseded: Kind[] = [];
  for (const publication of publications) {
    const name = nameOf(publication);
    const rival = live.get(name);
    if (!rival) live.set(name, publication);
    else if (compareVersions(publication.version, rival.version) > 0) {
      superseded.push(rival);
      live.set(name, publication);
    } else superseded.push(publication);
  }
  return { live: [...live.values()], superseded };
}
