import {
  buildRecordState,
  LAUNCHPAD_BUILD_STATES,
  type BuildRecord,
} from '../../domain/builds/build-state.ts';
import type { Cleaning, CleaningAnswer } from '../../domain/landings/pool-ppa.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { shownPackage, type PackageVersion } from '../../domain/packages/source-file.ts';
import { listed } from '../../domain/text/listed.ts';
import type { PpaClient } from '../../ppa/client.ts';
import {
  isLive,
  LIVE_STATUSES,
  type BinaryPublication,
  type SourcePublication,
} from '../../ppa/wire.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { buildRecordOf } from '../ppa/build-record.ts';
import { listedSources } from './listed-sources.ts';

/**
 * The states of a build that leaves packages when it ends, deleted source or not. `Needs building` is none of them:
 * Launchpad begins no build of a source that is deleted, and may show it so for as long as no builder is free.
 */
const RUNNING = LAUNCHPAD_BUILD_STATES.filter((state) => buildRecordState(state) === 'building');

/** Workflows of earlier versions do not name the cleaning. */
type EmptyPpaInput = Pick<Cleaning, 'ppa' | 'readsPast' | 'lastUse'> &
  Partial<Pick<Cleaning, 'poolPpaId' | 'cleaning'>>;

const BEFORE_ALL = new Date(0);
const MAX_SHOWN = 5;

/**
 * Deletes what landings have uploaded to a PPA of the pool, and says whether it is empty: it builds nothing, and its
 * apt repository has nothing that builds would take. What no landing has uploaded is left for a person. A PPA that is
 * in this cleaning no more is left alone: a landing may have it.
 *
 * @throws what the client of the PPA throws
 */
export function emptyPpa({
  ppaClient,
  database: { PpaPast, PoolPpa },
  aptUrl,
  sources: { idleTimeoutMs },
}: Pick<ActivityDependencies, 'ppaClient' | 'aptUrl'> & {
  database: {
    PpaPast: Pick<ActivityDependencies['database']['PpaPast'], 'ofLandings' | 'record'>;
    PoolPpa: Pick<ActivityDependencies['database']['PoolPpa'], 'isInCleaning'>;
  };
  sources: Pick<ActivityDependencies['sources'], 'idleTimeoutMs'>;
}) {
  return async ({
    poolPpaId,
    cleaning,
    ppa,
    readsPast,
    lastUse,
  }: EmptyPpaInput): Promise<CleaningAnswer> => {
    // A database that was restored by itself knows nothing of a cleaning that began later, and may have lent the PPA.
    const isNamed = poolPpaId !== undefined && cleaning !== undefined;
    if (isNamed && !(await PoolPpa.isInCleaning({ poolPpaId, cleaning })))
      return { problem: 'it is not in this cleaning any more' };
    const reference = ppaReference(ppa);
    const archive = await ppaClient.getArchive(ppa);
    if (!archive) return { problem: 'there is no such PPA, as far as our account can see' };
    if (readsPast) {
      // What a PPA ever had only grows: one reading has all of it.
      const all = await ppaClient.getSourcesSince(ppa, BEFORE_ALL);
      const past = all.filter(({ status }) => !isLive(status));
      await PpaPast.record(reference, past.map(named), null);
    }
    /** @returns undefined where there was nothing to delete */
    const deleteAll = async (
      live: readonly { self_link: string; source: PackageVersion }[],
    ): Promise<CleaningAnswer | undefined> => {
      const sources = live.map((one) => one.source);
      const names = sources.map((one) => one.source);
      const ours = new Set((await PpaPast.ofLandings(reference, names)).map(shownPackage));
      const foreign = sources.filter((one) => !ours.has(shownPackage(one)));
      if (foreign.length > 0)
        return { problem: `it has ${listOf(foreign)}, which no landing has uploaded` };
      for (const { self_link: link, source } of live) {
        const refusal = await ppaClient.deletePublication(link, 'It was landed.');
        if (refusal) return { problem: `${listOf([source])} is not deleted: ${refusal.said}` };
      }
      return live.length > 0 ? { waitsFor: `the deletion of ${listOf(sources)}` } : undefined;
    };
    const sources = await allLive((status) => ppaClient.listSources(ppa, status));
    const ofSources = await deleteAll(sources.map((one) => ({ ...one, source: named(one) })));
    if (ofSources) return ofSources;
    // In this order: what a build makes is with the build first, then accepted, then published.
    const running = await firstRunning(ppaClient, ppa);
    if (running) {
      const { package: source, version, architecture } = running;
      return { waitsFor: `the end of ${shownPackage({ source, version })} on ${architecture}` };
    }
    if (lastUse && (await ppaClient.acceptedUploads(ppa, lastUse.series)).length > 0)
      return { waitsFor: 'the publication of what its builds have made' };
    const binaries = await allLive((status) => ppaClient.listBinaries(ppa, status));
    const ofBinaries = await deleteAll(
      binaries
        // Those go with the packages that they are of.
        .filter(({ is_debug: isDebug }) => isDebug !== true)
        .map((one) => ({ ...one, source: sourceOf(one) })),
    );
    if (ofBinaries) return ofBinaries;
    // The repository of a private PPA is not for us to read.
    if (!lastUse || archive.private === true) return { isClean: true };
    const { series, packages } = lastUse;
    const listed = await listedSources({ ppa, series, aptUrl, idleTimeoutMs });
    const left = packages.filter((one) => listed.has(shownPackage(one)));
    return left.length > 0
      ? { waitsFor: `its apt repository to forget ${listOf(left)}` }
      : { isClean: true };
  };
}

async function allLive<Publication>(
  list: (status: string) => Promise<Publication[]>,
): Promise<Publication[]> {
  const found: Publication[] = [];
  for (const status of LIVE_STATUSES) found.push(...(await list(status)));
  return found;
}

/** A build of the PPA that may leave packages in it yet. */
async function firstRunning(client: PpaClient, ppa: Ppa): Promise<BuildRecord | undefined> {
  for (const state of RUNNING) {
    const [build] = await client.getBuildRecords(ppa, state);
    if (build) return buildRecordOf(build);
  }
  return undefined;
}

function named({
  source_package_name: source,
  source_package_version: version,
}: SourcePublication): PackageVersion {
  return { source, version };
}

/** What a package was built from; itself where that is no source. */
function sourceOf(binary: BinaryPublication): PackageVersion {
  return {
    source: binary.source_package_name ?? binary.binary_package_name,
    version: binary.source_package_version ?? binary.binary_package_version,
  };
}

/** `hello 1.0, ed 1.20-1 and 3 more`. */
function listOf(packages: readonly PackageVersion[]): string {
  return listed([...new Set(packages.map(shownPackage))], MAX_SHOWN);
}
