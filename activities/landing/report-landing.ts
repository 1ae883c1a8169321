import type { LandingReport } from '../../domain/landing.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Dependencies = {
  database: Pick<ActivityDependencies['database'], 'LandingEvent'>;
  onRecorded?: ActivityDependencies['onRecorded'];
};

/**
 * Records a report as the landing's next event, and moves its ticket with it.
 *
 * @returns `isEnded`: the attempt had ended before the report, or must not be published, or not yet
 */
export function reportLanding({ database, onRecorded }: Dependencies) {
  return async (report: LandingReport): Promise<{ isEnded: boolean }> => {
    const isEnded = (await database.LandingEvent.record(report)) === null;
    onRecorded?.();
    return { isEnded };
  };
}
