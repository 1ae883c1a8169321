import type { LandingAhead } from '../../domain/landings/landing.ts';
import { keepEstimate } from '../../models/landings/landing-estimate.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** The landings that a landing waits for; none where all its packages are its own. Its estimate is kept on its row. */
export function claimPackages({ database }: Pick<ActivityDependencies, 'database'>) {
  return async (landingId: number): Promise<LandingAhead[]> => {
    const ahead = await database.LandingClaim.ahead(landingId);
    if (ahead.length > 0) await keepEstimate(database, landingId, ahead);
    return ahead;
  };
}
