import { testTaskQueue, type TesterPlace } from '../../domain/testing/test-run.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Looks whether a place has a tester, be it one that has other work.
 *
 * @throws the error of Temporal where it does not say
 */
export function findTester({ queues }: Pick<ActivityDependencies, 'queues'>) {
  return async (place: TesterPlace): Promise<{ isThere: boolean }> => ({
    isThere: await queues.hasWorker(testTaskQueue(place)),
  });
}
