import type { LandingPhase } from './landing-phase.ts';

/** The reason of a failure is kept with each subticket that it is about. */
const MAX_TOLD = 10;

/** Why a landing failed. `retryable`: the same landing, tried again, can get further. */
export const LANDING_FAILURE_CLASSES = {
  queue_timed_out: {
    retryable: true,
    hint: 'Land or cancel the landings that are before it, then retry.',
  },
  no_ppa_free: {
    retryable: true,
    hint: 'Retry it when a PPA of the pool is free; `airline ppapool list` shows them. An admin can add one (`airline ppapool add`), or have one that is quarantined emptied again (`airline ppapool clean`).',
  },
  build_failed: {
    retryable: true,
    hint: 'The named build says why. Retry the landing if building again can help; else replace the subticket and land the ticket again.',
  },
  architecture_missing: {
    retryable: false,
    hint: "The PPA does not build them there: have it build for the architecture, or take it out of the target's policy, and land the ticket again.",
  },
  invalid_source: {
    retryable: false,
    hint: 'Replace the subticket by one whose upload and files are of the same source package and version, then land the ticket again.',
  },
  dependency_cycle: {
    retryable: false,
    hint: 'No source package of the cycle can be built first: break the cycle in debian/control.',
  },
  image_failed: {
    retryable: true,
    hint: 'No image could be made to test in. Retry the landing; if it fails again, the log of the tester says why.',
  },
  uninstallable: {
    retryable: false,
    hint: 'The packages cannot be installed on the target as it is: correct their dependencies and land the ticket again.',
  },
  no_tester: {
    retryable: true,
    hint: 'No tester of its distribution and architecture took the work in time. Start one (docs/testers.md), then retry: what is tested stays.',
  },
  test_bed_failed: {
    retryable: true,
    hint: 'The tests could not be chosen or fetched, which says nothing of the packages. Retry the landing.',
  },
  tests_timed_out: {
    retryable: true,
    hint: 'The tests were not over in time. Retry the landing: what has passed stays. Where it waited for an index, no test was run: first see that the mirror of the testers has what the message names.',
  },
  test_regression: {
    retryable: true,
    hint: 'Without these packages the named tests do not count as failed. Correct the packages and land the ticket again; or override the tests and retry.',
  },
  target_moved: {
    retryable: true,
    hint: 'The target changed again each time that the packages had been tested. Retry when it is quieter.',
  },
  pause_timed_out: {
    retryable: true,
    hint: 'It was paused, and nobody resumed it in time. Retry it if it is still wanted.',
  },
  not_approved: {
    retryable: true,
    hint: 'Somebody decided against it; the comment says why. Retry it once that is settled.',
  },
  approval_timed_out: {
    retryable: true,
    hint: 'Nobody decided in time. Retry it, and have somebody approve it.',
  },
  frozen: {
    retryable: true,
    hint: 'Nothing is published at the target during the freeze: retry it when that is over.',
  },
  copy_refused: {
    retryable: true,
    hint: 'The target does not take the copy. Settle what it says, then retry: what is published stays.',
  },
  copy_not_seen: {
    retryable: true,
    hint: 'The target took the copy and never showed it. Look at its page of failed copies and its queues, then retry: what is published stays, also what is let in after the landing has failed.',
  },
  service_unavailable: {
    retryable: true,
    hint: 'What the message names did not answer in time. Retry the landing once it does: what is built and published stays.',
  },
  cancelled: {
    retryable: true,
    hint: 'It was cancelled. Retry it if it is still wanted.',
  },
  internal: {
    retryable: true,
    hint: "This is a fault of Airline itself: retry the landing. The worker's log has the cause under the landing's id.",
  },
} as const satisfies Record<string, { retryable: boolean; hint: string }>;

export type LandingFailureClass = keyof typeof LANDING_FAILURE_CLASSES;

/** Why a landing ended without being published. */
export type LandingFailure = {
  class: LandingFailureClass;
  retryable: boolean;
  /** What happened, in one sentence. */
  message: string;
  /** What to do about it. */
  hint: string;
  /** The phase that it failed in. */
  phase: LandingPhase;
  /** The source package that it is about; of several, the first. */
  package?: string;
  /** All source packages that it is about, where they are several. */
  packages?: string[];
  build_id?: number;
};

/** Makes the failure of a class; `hint` takes the place of that of the class. */
export function landingFailureOf(
  failureClass: LandingFailureClass,
  phase: LandingPhase,
  message: string,
  where: Pick<LandingFailure, 'package' | 'packages' | 'build_id'> & { hint?: string } = {},
): LandingFailure {
  return {
    class: failureClass,
    ...LANDING_FAILURE_CLASSES[failureClass],
    message,
    phase,
    ...where,
  };
}

/**
 * The failures of several packages as one. It has the class and the build of the first, and says of each what happened;
 * of many, of the first ten.
 */
export function failureOfAll(
  first: LandingFailure,
  others: readonly LandingFailure[],
): LandingFailure {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const told = all.slice(0, MAX_TOLD).map(({ message }) => message);
  const left = all.length - told.length;
  return {
    ...first,
    message: [...told, ...(left > 0 ? [`and ${left} more`] : [])].join('; '),
    packages: all.flatMap(({ package: source }) => source ?? []),
  };
}
