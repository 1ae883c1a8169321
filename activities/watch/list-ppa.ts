import {
  LAUNCHPAD_BUILD_STATES,
  type BuildRecord,
  type LaunchpadBuildState,
} from '../../domain/builds/build-state.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import type { WatchOverview } from '../../models/builds/watched-build.ts';
import { PpaAnswerError, PpaUnavailableError } from '../../ppa/web-service.ts';
import { buildRecordOf } from '../ppa/build-record.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** A PPA's clock and ours may differ by as much. */
const CLOCK_SKEW_MS = 15 * 60_000;

/** States in which a build may be next, whatever it was in. */
const ALWAYS_LISTED: readonly LaunchpadBuildState[] = ['Needs building', 'Currently building'];

/** What a PPA has now of what may have changed, as its collections give it. */
export type ListedPpa = {
  /** Sources that were uploaded lately, as `shownPackage` names them; undefined where the PPA did not say. */
  uploaded: ReadonlySet<string> | undefined;
  /** Builds that have not ended, by their addresses. */
  active: ReadonlyMap<string, BuildRecord>;
  /** The same by their packages, as `shownPackage` names them. */
  activeOf: ReadonlyMap<string, readonly BuildRecord[]>;
};

/**
 * Asks a PPA for what may have changed: once for the sources that were uploaded, and once for each state in which
 * builds are. It costs as many requests for one build as for a thousand, but for further pages.
 *
 * @param askForOne asks it for one source of those that are watched; where that is answered, a list that has no answer
 * is left out
 * @throws PpaUnavailableError where a later round may succeed
 */
export async function listPpa(
  { ppaClient, logger }: Pick<ActivityDependencies, 'ppaClient' | 'logger'>,
  ppa: Ppa,
  { oldestUploadAt, activeStates }: Omit<WatchOverview, 'count'>,
  askForOne: () => Promise<unknown>,
): Promise<ListedPpa> {
  /** Launchpad ends a request that takes too long, such as a large list, and answers others all the while. */
  const answersOtherwise = () =>
    askForOne().then(
      () => true,
      (error: unknown) => error instanceof PpaAnswerError,
    );
  const answered = async <T>(list: Promise<T[]>): Promise<T[] | undefined> => {
    try {
      return await list;
    } catch (error) {
      const isAway = error instanceof PpaUnavailableError && !error.isOwnRate;
      if (!(error instanceof PpaAnswerError) && !(isAway && (await answersOtherwise())))
        throw error;
      logger.warn({ ppa, err: error }, 'the PPA gave no list; its builds are asked for one by one');
      return undefined;
    }
  };
  const since = oldestUploadAt && new Date(oldestUploadAt.getTime() - CLOCK_SKEW_MS);
  const sources = since ? await answered(ppaClient.getSourcesSince(ppa, since)) : [];
  const uploaded =
    sources &&
    new Set(
      sources.map(({ source_package_name: source, source_package_version: version }) =>
        shownPackage({ source, version }),
      ),
    );
  const active = new Map<string, BuildRecord>();
  const activeOf = new Map<string, BuildRecord[]>();
  for (const state of activeStates.length > 0 ? listedStates(activeStates) : [])
    for (const build of (await answered(ppaClient.getBuildRecords(ppa, state))) ?? []) {
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

/** A state that is not Launchpad's is refused as a filter: builds in it are asked for one by one. */
function listedStates(activeStates: readonly string[]): LaunchpadBuildState[] {
  return LAUNCHPAD_BUILD_STATES.filter(
    (state) => ALWAYS_LISTED.includes(state) || activeStates.includes(state),
  );
}
