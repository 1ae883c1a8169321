import { failureOf } from '../domain/builds/failure.ts';
import { landingFailureOf, type LandingFailure } from '../domain/landings/landing-failure.ts';
import type { LandingPhase } from '../domain/landings/landing-phase.ts';

const RESULT_UNKNOWN =
  'its workflow has ended, and the database does not know its result, as after a restore';

/** The failure of a build whose workflow has ended with a result that its row lacks. */
export const LOST_BUILD = failureOf(
  'internal',
  `${RESULT_UNKNOWN}; the PPA may have built all of it`,
  { hint: 'Retry the build: what the PPA has already is not uploaded again.' },
);

/** The failure of a landing whose workflow has ended with a result that its row lacks. */
export function lostLanding(phase: LandingPhase): LandingFailure {
  return landingFailureOf('internal', phase, `${RESULT_UNKNOWN}; the target may have all of it`, {
    hint: 'Retry the landing: what is built and published stays.',
  });
}
