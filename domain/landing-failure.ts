import type { LandingPhase } from './landing-phase.ts';

/** Why a landing failed. `retryable`: the same landing, tried again, can get further. */
export const LANDING_FAILURE_CLASSES = {
  queue_timed_out: {
    retryable: true,
    hint: 'Land or cancel the landings that are before it, then retry.',
  },
  no_ppa_free: {
    retryable: true,
    hint: 'Retry it when a PPA of the pool is free; `airline ppapool list` shows them. Somebody may add one, or release one from quarantine.',
  },
  build_failed: {
    retryable: true,
    hint: 'The named build says why. Retry the landing if building again can help; else replace the subticket and land the ticket again.',
  },
  dependency_cycle: {
    retryable: false,
    hint: 'No source package of the circle can be built first: break the circle in debian/control.',
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
    hint: 'The target took the copy and never showed it. Look at its page of failed copies and its queues, then retry: what is published stays.',
  },
  cancelled: {
    retryable: true,
    hint: 'It was cancelled. Retry it if it is still wanted.',
  },
  internal: {
    retryable: true,
    hint: "This is a fault of Airline itself; the worker's log has the cause under the landing's id.",
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
  /** The source package that it is about. */
  package?: string;
  build_id?: number;
};

/** Makes the failure of a class. */
export function landingFailureOf(
  failureClass: LandingFailureClass,
  phase: LandingPhase,
  message: string,
  where: Pick<LandingFailure, 'package' | 'build_id'> = {},
): LandingFailure {
  return {
    class: failureClass,
    ...LANDING_FAILURE_CLASSES[failureClass],
    message,
    phase,
    ...where,
  };
}
