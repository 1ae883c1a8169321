import type { BuildRecord } from '../../domain/build-state.ts';
import type { Ppa } from '../../domain/ppa.ts';
import { shownPackage } from '../../domain/source-file.ts';
import type { WatchOverview } from '../../models/watched-build.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { buildRecordOf } from '../build-record.ts';

/** A PPA's clock and ours may differ by as much. */
const CLOCK_SKEW_MS = 15 * 60_000;

/** States in which a build may be next, whatever it was in. */
const ALWAYS_LISTED = ['Needs building', 'Currently building'];

/** What a PPA has now of what may have changed, as its collections give it. */
export type ListedPpa = {
  /** Sources that were uploaded lately, as `shownPackage` names them. */
  uploaded: ReadonlySet<string>;
  /** Builds that have not ended, by their addresses. */
  active: ReadonlyMap<string, BuildRecord>;
  /** The same by their packages, as `shownPackage` names them. */
  activeOf: ReadonlyMap<string, readonly BuildRecord[]>;
};

/**
 * Asks a PPA for what may have changed: once for the sources that were uploaded, and once for each state in which builds
 * are. It costs as many requests for one build as for a thousand, but for further pages.
 *
 * @throws what the client of the PPA throws
 */
export async function listPpa(
  ppaClient: PpaClient,
  ppa: Ppa,
  { oldestUploadAt, activeStates }: Omit<WatchOverview, 'count'>,
): Promise<ListedPpa> {
  const uploaded = new Set<string>();
  if (oldestUploadAt) {
    const since = new Date(oldestUploadAt.getTime() - CLOCK_SKEW_MS);
    for (const one of await ppaClient.getSourcesSince(ppa, since))
      uploaded.add(
        shownPackage({ source: one.source_package_name, version: one.source_package_version }),
      );
  }
  const active = new Map<string, BuildRecord>();
  const activeOf = new Map<string, BuildRecord[]>();
  const states = activeStates.length > 0 ? new Set([...ALWAYS_LISTED, ...activeStates]) : [];
  for (const state of states)
    for (const build of await ppaClient.getBuildRecords(ppa, state)) {
      const record = buildRecordOf(build);
      active.set(record.selfLink, record);
    }
  for (const record of active.values()) {
    const name = shownPackage({ source: record.package, version: record.version });
    const others = activeOf.get(name);
    if (others) others.push(record);
    else activeOf.set(name, [record]);
  }
  return { uploaded, active, activeOf };
}
