import type { LandingAttemptName, LeaseAnswer } from '../../domain/landings/landing.ts';
import { keepEstimate } from '../../models/landings/landing-estimate.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Leases a PPA of the pool for a landing; the one that it has, if it has one.
 *
 * @returns the PPA, or whom and what the landing waits for; then its estimate is kept on its row
 * @throws AirlineError `conflict` where the landing's attempt has ended
 */
export function leasePpa({ database }: Pick<ActivityDependencies, 'database'>) {
  return async (landing: LandingAttemptName): Promise<LeaseAnswer> => {
    const answer = await database.PpaLease.take(landing);
    if ('ahead' in answer) await keepEstimate(database, landing.landingId, answer.ahead);
    return answer;
  };
}
