import type { TestExcuse } from './gate.ts';
import type { LandingEstimate } from './landing-estimate.ts';
import type { LandingFailure } from './landing-failure.ts';
import type { LandingPhase } from './landing-phase.ts';
import type { FreezeWindow, LandingPolicy } from './landing-policy.ts';
import type { Decision, LandingAhead, LandingPart } from './landing.ts';
import type { ArchitectureBuild } from '../builds/progress.ts';
import type { TestsVerdict, TestVerdict } from '../testing/test-verdict.ts';

/** What is known of a landing where its gate is judged. */
export type GateInput = {
  landingId: number;
  phase: LandingPhase;
  ahead: LandingAhead[];
  estimate: LandingEstimate | null;
  parts: LandingPart[];
  ppa: string | null;
  /** Archive, series and pocket. */
  target: string;
  /** Null of landings that older code accepted. */
  policy: LandingPolicy | null;
  /** Those that hold for whoever requested it, also those that were added since. */
  freezes: FreezeWindow[];
  decision: Decision | null;
  failure: LandingFailure | null;
  /** Who has paused it. */
  pausedBy: string | null;
  /** What it waits for besides other landings, in words. */
  waitsFor: string | null;
  /** What the target got since the packages were tested; null where they are not tested again for it. */
  targetMoved: string[] | null;
  builds: GateBuild[];
  /** What its tests say; null while they are not judged. */
  testsVerdict: TestsVerdict | null;
  /** It is tested on new base images, as those of before may be older than what was built. */
  isRenewed: boolean;
  /** How many named tests have each verdict. */
  tests: Partial<Record<TestVerdict, number>>;
  /** Runs of the attempt: those that are over, and all. */
  runs: { over: number; all: number };
  /** Who has overridden tests that count. */
  overriddenBy: string[];
  excuses: TestExcuse[];
  nowMs: number;
};

/** The build of one package of a landing. */
export type GateBuild = {
  source: string;
  buildId: number;
  /** What the PPA builds of it. */
  builds: Pick<ArchitectureBuild, 'architecture' | 'state'>[];
  /** The architectures of the binary packages that were made; `all` fits each. */
  made: string[];
};

/**
 * The packages that have not built on an architecture. One that made nothing but packages for all architectures has
 * built on each. Where nothing is known of what some made, these alone, and `isKnown` is false.
 */
export function unbuiltOn(
  architecture: string,
  builds: readonly GateBuild[],
): { sources: string[]; isKnown: boolean } {
  const unbuilt = builds.filter(
    ({ builds: records, made }) =>
      !records.some((one) => one.architecture === architecture && one.state === 'completed') &&
      !(made.length > 0 && made.every((one) => one === 'all')),
  );
  // What the PPA did not list may be for all architectures.
  const unlisted = unbuilt.filter(({ made }) => made.length === 0);
  const isKnown = unlisted.length === 0;
  return { sources: (isKnown ? unbuilt : unlisted).map(({ source }) => source), isKnown };
}
