import type { LeaseAnswer } from '../../domain/landing.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Leases a PPA of the pool for a landing; the one that it has, if it has one.
 *
 * @returns the PPA, or whom and what the landing waits for
 * @throws AirlineError `conflict` where the landing's attempt has ended
 */
export function leasePpa({
  database,
}: {
  database: Pick<ActivityDependencies['database'], 'PpaLease'>;
}) {
  return (landing: { landingId: number; attempt: number }): Promise<LeaseAnswer> =>
    database.PpaLease.take(landing);
}
