import { stateOfPhase } from '../domain/builds/build-phase.ts';
import type { BuildState } from '../domain/builds/build-request.ts';
import type { SentPackages } from '../domain/builds/build-workflow.ts';
import { shownPackage } from '../domain/packages/source-file.ts';
import type { ActivityDependencies } from './dependencies.ts';

const AFTER_UPLOAD: readonly BuildState[] = ['accepting', 'building', 'collecting'];

/**
 * What an attempt that is under way has sent to the PPA, as far as its rows tell. Its workflow knows that by itself,
 * unless it runs again from an earlier moment, as where an operator resets it.
 *
 * @returns undefined where the attempt has ended, or its rows know of nothing that was sent
 */
export async function sentPackages(
  { Build, WatchedBuild }: Pick<ActivityDependencies['database'], 'Build' | 'WatchedBuild'>,
  of: { buildId: number; attempt?: number; attemptKey?: string },
): Promise<SentPackages | undefined> {
  const { buildId, attempt = 1 } = of;
  const build = await Build.findOne({ where: { id: buildId, attempt, finishedAt: null } });
  if (!build || build.isNotOf(of)) return undefined;
  const watched = await WatchedBuild.findOne({ where: { buildId, attempt } });
  if (watched) {
    const { accepted, records, request } = watched;
    const { packages, unverified } = request;
    return { packages, accepted, records, ...(unverified ? { unverified } : {}) };
  }
  if (!AFTER_UPLOAD.includes(stateOfPhase(build.phase))) return undefined;
  const shown = build.architectureBuilds.map(({ package: source, version }) => ({
    source,
    version,
  }));
  const packages = [...new Map(shown.map((one) => [shownPackage(one), one])).values()];
  return { packages, accepted: false, records: [] };
}
