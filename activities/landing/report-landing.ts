import type { LandingReport, LandingReported } from '../../domain/landings/landing.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Dependencies = {
  database: Pick<ActivityDependencies['database'], 'Landing' | 'LandingEvent'>;
  onRecorded?: ActivityDependencies['onRecorded'];
};

/**
 * Records a report as the landing's next event, and moves its ticket with it.
 *
 * @returns `isEnded`: the attempt had ended before the report, or must not be published, or not yet. `hasEnded`: it had
 *   ended. `decision`: what a person decided, where one is waited for and the report was made before
 */
export function reportLanding({ database, onRecorded }: Dependencies) {
  return async (report: LandingReport): Promise<LandingReported> => {
    const event = await database.LandingEvent.record(report);
    onRecorded?.();
    const decision = event?.phase === 'approving' ? event.decision : undefined;
    const hasEnded = event === null && !(await database.Landing.isUnderWay(report));
    return {
      isEnded: event === null,
      ...(hasEnded ? { hasEnded } : {}),
      ...(decision ? { decision } : {}),
    };
  };
}
