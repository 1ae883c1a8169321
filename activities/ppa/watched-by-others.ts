import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import { fileStem, namedSources } from '../../domain/packages/source-file.ts';
import type { Build } from '../../models/builds/build.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Finds which builds of a PPA other build requests wait for, on behalf of one that stops its own there: those for the
 * same version of a source in the same PPA that have not ended, that nobody has cancelled, and that do not stop either.
 *
 * @returns the id of such a request for each record that has one, by the record's address
 */
export function watchedByOthers({ database }: Pick<ActivityDependencies, 'database'>) {
  return async (
    buildId: number,
    records: readonly BuildRecord[],
  ): Promise<ReadonlyMap<string, number>> => {
    const { Build } = database;
    const own = await Build.findByPk(buildId);
    if (!own) return new Map();
    // Before it looks: of two that stop at once, at least one sees that the other waits no more.
    await own.markStopping();
    const ppa = ppaReference(own.acceptedPpa);
    const names = [...new Set(records.map((record) => record.package))];
    const watched = new Map<string, number>();
    for await (const other of Build.othersOf(buildId, names)) {
      if (ppaReference(other.acceptedPpa) !== ppa) continue;
      const stems = stemsOf(other);
      for (const { package: source, version, selfLink } of records)
        if (!watched.has(selfLink) && stems.has(fileStem({ source, version })))
          watched.set(selfLink, other.id);
      if (watched.size === records.length) break;
    }
    return watched;
  };
}

/** The sources of a request: as its files are named, and as the PPA has shown them. */
function stemsOf({ sourcePackages, architectureBuilds }: Build): ReadonlySet<string> {
  const shown = architectureBuilds.map(({ package: source, version }) => ({ source, version }));
  return new Set([...namedSources(sourcePackages), ...shown].map(fileStem));
}
