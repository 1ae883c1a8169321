import type { BuildLimits } from './build-request.ts';
import { phaseInPpa } from './build-phase.ts';
import type { BuildRecord, BuildRecordState } from './build-state.ts';
import type { Ppa } from '../packages/ppa.ts';
import type { DescribedPackage, PackageVersion } from '../packages/source-file.ts';

/**
 * A PPA has an outage that failed to answer twice, so far apart, and not once in between answered. A shorter time is
 * none: single requests fail on any day, and a verdict is not to be put off by each of them.
 */
export const OUTAGE_MS = 5 * 60_000;

/** When WatchPpaWorkflow polls its PPA, and when it continues as new. */
export type WatchLimits = Pick<
  BuildLimits,
  'pollInitialMs' | 'pollFactor' | 'pollMaxMs' | 'historyMaxEvents'
>;

/** Input of WatchPpaWorkflow. */
export type WatchPpaInput = {
  ppa: Ppa;
  limits: WatchLimits;
  /** When it continues as new: rounds since a build has joined. */
  quietRounds?: number;
};

/** The signal of a build that has joined those of its PPA; its argument is the WatchLimits of now. */
export const JOIN_SIGNAL = 'join';

/** The signal to a build's workflow that something of its builds in the PPA has changed; its argument is a PpaNews. */
export const NEWS_SIGNAL = 'ppa_news';

/** The query for what a watch does; it answers a WatchStatus. */
export type WatchStatus = { watched: number; rounds: number };

/** The phases in the PPA that the workflow of a build is told of; all others are on its row alone. */
export type ToldPhase = 'building' | 'dependency_wait' | 'prerequisite_wait';

/**
 * The phase that a workflow is told of: what its builds wait for builders or are built counts as `building`, so that it
 * sleeps meanwhile.
 */
export function toldPhase(states: readonly BuildRecordState[], hasLater: boolean): ToldPhase {
  const phase = phaseInPpa(states, hasLater);
  return phase === 'dependency_wait' || phase === 'prerequisite_wait' ? phase : 'building';
}

/**
 * What the workflow of a build is told of its builds in the PPA.
 *
 * - `ask`: the watch cannot say; it has to poll the PPA by itself.
 * - `isDecided`: it has something to do. The watch has left it, so that it has to join again where it goes on waiting.
 * - `packages`: how many packages it tells of; absent in what earlier code told. A watch repeats itself where it cannot
 *   know whether it was heard, so that this may come when more packages have been uploaded.
 */
export type PpaNews =
  | { ask: true }
  | {
      ask?: never;
      packages?: number;
      records: BuildRecord[];
      phase: ToldPhase;
      /** Every package is published that has to be. */
      published: boolean;
      /** By the database's clock. */
      dependencyWaitSinceMs: number | null;
      /** For how long; absent where none waits, and in what earlier code told. */
      dependencyWaitedMs?: number;
      dependencyWaitIsOver: boolean;
      isDecided: boolean;
    };

/** What a build waits for in its PPA. */
export type WatchRequest = {
  ppa: Ppa;
  series: string;
  attemptKey?: string;
  packages: PackageVersion[];
  /** Packages whose contents in the PPA nobody has compared yet; absent where all are. */
  unverified?: DescribedPackage[];
  awaitPublication: boolean;
  /** Others of its packages are uploaded once what is built is published. */
  hasLater: boolean;
  /** It knows that a package has failed, and waits for the publication of the others. */
  knowsFailure: boolean;
  acceptanceMs: number;
  dependencyWaitMs: number;
  /** How often the build has polled by itself before. What earlier code asked for lacks it, and counts as never. */
  polls?: number;
};

/** The id of the workflow that watches a PPA. No name in it has an underscore. */
export function watchWorkflowId({ owner, distribution, name }: Ppa): string {
  return `watch-ppa-${owner}_${distribution}_${name}`;
}
