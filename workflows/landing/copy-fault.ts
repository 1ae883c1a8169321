import type { ActivityFailure } from '@temporalio/workflow';
import type { PolledCopy } from '../../activities/landing/poll-targets.ts';
import type { LandingFailureClass } from '../../domain/landings/landing-failure.ts';
import { failureOfActivity } from './activity-failure.ts';
import type { LandingAttempt } from './landing-attempt.ts';

/** Why a package is not published: its class, the source, and a sentence. */
export type Fault = [LandingFailureClass, string, string];

/** The fault of a copy that was rejected, or whose time is over. */
export function unpublished({ source, held, fault }: Omit<PolledCopy, 'isPublished'>): Fault {
  if (held === 'Rejected') return ['copy_refused', source, 'somebody rejected it there'];
  if (fault !== undefined)
    return ['service_unavailable', source, `the target does not say whether it has it: ${fault}`];
  const why = held === undefined ? 'the target does not show it' : `it is held as ${held}`;
  return ['copy_not_seen', source, why];
}

/** The fault of a package whose activity has failed for good. */
export function faultOf(
  { phase, heedsOutages }: LandingAttempt,
  source: string,
  error: ActivityFailure,
): Fault {
  const { class: why, message } = failureOfActivity(error, phase, heedsOutages);
  return [why, source, message];
}
