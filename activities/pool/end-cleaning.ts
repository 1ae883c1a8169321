import type { Cleaning } from '../../domain/landings/pool-ppa.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Records what came of a cleaning: the PPA is free, or quarantined with the reason. */
export function endCleaning({
  database: { PoolPpa },
}: {
  database: Pick<ActivityDependencies['database'], 'PoolPpa'>;
}) {
  return async ({
    problem,
    ...cleaning
  }: Pick<Cleaning, 'poolPpaId' | 'cleaning'> & { problem: string | null }): Promise<void> => {
    await PoolPpa.endCleaning(cleaning, problem);
  };
}
