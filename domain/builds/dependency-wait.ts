import { isRestState } from './build-state.ts';
import type { ArchitectureBuild } from './progress.ts';

type WaitingBuild = Pick<ArchitectureBuild, 'package' | 'version' | 'architecture' | 'state'>;

/**
 * Since when the grace of a Dependency wait counts: since nothing of the request is under way in the PPA but builds
 * that wait. Until then the request may bring what is missing by itself. So may a build that has left the wait: the
 * grace begins anew for the others. One that counted as failed stays over while later packages of a request with an
 * order are built.
 *
 * @param before what was known of the request, since when its grace counted, and whether that was over before the
 * latest packages were uploaded. Time alone makes none over: only a look that finds nothing else under way does
 * @param now by the clock of `before.since`
 * @returns null where it does not count
 */
export function dependencyWaitSince<Time>(
  before: { builds: readonly WaitingBuild[]; since: Time | null; isOver: boolean },
  builds: readonly WaitingBuild[],
  now: Time,
): Time | null {
  const waiting = waitingOnes(builds);
  if (waiting === '') return null;
  const isAtRest = builds.every(({ state }) => isRestState(state));
  const goesOn = (isAtRest || before.isOver) && waiting === waitingOnes(before.builds);
  if (goesOn && before.since !== null) return before.since;
  return isAtRest ? now : null;
}

/** Names the builds that wait for dependencies, in whichever order the PPA lists them; empty where none does. */
function waitingOnes(builds: readonly WaitingBuild[]): string {
  return builds
    .filter(({ state }) => state === 'dependency_wait')
    .map((one) => `${one.package} ${one.version} ${one.architecture}`)
    .toSorted()
    .join('\n');
}
