import type { ActivityDependencies } from '../dependencies.ts';

/** Who has paused a landing; null where nobody has. */
export function readPause({
  database,
}: {
  database: Pick<ActivityDependencies['database'], 'Landing'>;
}) {
  return async (landingId: number): Promise<{ pausedBy: string | null }> => {
    const landing = await database.Landing.findByPk(landingId, {
      attributes: ['pausedBy'],
      rejectOnEmpty: true,
    });
    return { pausedBy: landing.pausedBy };
  };
}
