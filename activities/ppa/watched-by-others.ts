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
    const others = (await Build.othersOf(buildId, names))
      .filter((other) => ppaReference(other.acceptedPpa) === ppa)
      .map((other) => ({ id: other.id, stems: stemsOf(other) }));
    return new Map(
      records.flatMap(({ package: source, version, selfLink }) => {
        const stem = fileStem({ source, version });
        const other = others.find(({ stems }) => stems.has(stem));
        return other ? [[selfLink, other.id] as const] : [];
      }),
    );
  };
}

/** The sources of a request: as its files are named, and as the PPA has shown them. */
function stemsOf({ sourcePackages, architectureBuilds }: Build): ReadonlySet<string> {
  const shown = architectureBuilds.map(({ package: source, version }) => ({ source, version }));
  return new Set([...namedSources(sourcePackages), ...shown].map(fileStem));
}
