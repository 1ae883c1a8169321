import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import { fileStem, namedSources } from '../../domain/packages/source-file.ts';
import type { Build, BuildModel } from '../../models/builds/build.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Records = readonly Pick<BuildRecord, 'package' | 'version' | 'selfLink' | 'webLink'>[];
type FindOthers = (buildId: number, records: Records) => Promise<ReadonlyMap<string, number>>;

/**
 * Finds which builds of a PPA other build requests wait for, on behalf of one that stops its own there: those for the
 * same version of a source in the same PPA and series that have not ended, that nobody has cancelled, that do not stop
 * either, and that would stop these builds themselves if they were to be stopped later (ADR 27). One for another series
 * waits for a build only where the PPA has shown it that very build.
 *
 * @returns the id of such a request for each record that has one, by the record's address
 */
export function watchedByOthers({
  database: { Build },
}: Pick<ActivityDependencies, 'database'>): FindOthers {
  return async (buildId, records) => {
    const own = await Build.findByPk(buildId);
    // Before it looks: of two that stop at once, at least one sees that the other waits no more.
    await own?.markStopping();
    return own ? findOthers(Build, own, records, stopsByItself) : new Map();
  };
}

/**
 * As `watchedByOthers`, on behalf of a request that goes on, and of those others alone that the PPA has shown their
 * builds: two requests that come at the same time leave nothing to each other.
 */
export function shownToOthers({
  database: { Build },
}: Pick<ActivityDependencies, 'database'>): FindOthers {
  return async (buildId, records) => {
    const own = await Build.findByPk(buildId);
    return own ? findOthers(Build, own, records, ({ state }) => state === 'building') : new Map();
  };
}

async function findOthers(
  model: Pick<BuildModel, 'othersOf'>,
  own: Build,
  records: Records,
  isMeant: (other: Build) => boolean,
): Promise<ReadonlyMap<string, number>> {
  const ppa = ppaReference(own.acceptedPpa);
  const names = [...new Set(records.map((record) => record.package))];
  const watched = new Map<string, number>();
  for await (const other of model.othersOf(own.id, names)) {
    if (ppaReference(other.acceptedPpa) !== ppa || !isMeant(other)) continue;
    const stems = stemsOf(other);
    const shown = new Set(other.architectureBuilds.map(({ web_link }) => web_link));
    for (const { package: source, version, selfLink, webLink } of records) {
      const mayWait = other.series === own.series || shown.has(webLink);
      if (mayWait && !watched.has(selfLink) && stems.has(fileStem({ source, version })))
        watched.set(selfLink, other.id);
    }
    if (watched.size === records.length) break;
  }
  return watched;
}

/**
 * Whether a request stops what the PPA builds of it where it comes to be stopped. One that ends before it has uploaded
 * anything stops nothing. One that has yet to come to these builds, or only finds them there, asks for them again
 * before it waits for them: nothing is lost to it where they are cancelled now.
 */
function stopsByItself({ state, upload }: Build): boolean {
  return (
    state === 'accepting' || state === 'building' || (state === 'uploading' && upload !== null)
  );
}

/** The sources of a request: as its files are named, and as the PPA has shown them. */
function stemsOf({
  sourcePackages,
  architectureBuilds,
  state,
  sequence,
}: Build): ReadonlySet<string> {
  const shown = architectureBuilds.map(({ package: source, version }) => ({ source, version }));
  const stems = new Set([...namedSources(sourcePackages), ...shown].map(fileStem));
  // While it uploads, the sequence is as it was before.
  if (state !== 'uploading')
    for (const { package: source, version, state: stands } of sequence)
      if (stands !== 'uploaded') stems.delete(fileStem({ source, version }));
  return stems;
}
