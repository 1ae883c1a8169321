import { Context } from '@temporalio/activity';
import { A_TESTER, testTaskQueue, type TesterPlace } from '../../domain/testing/test-run.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** What testers do while a landing is `imaging`. */
const IMAGES = ['makeBaseImage', 'makeLandingImage'];

/**
 * Looks whether testers have taken the images of the landing that asks.
 *
 * @returns what the landing waits for, in words; null where testers have all of them, or Temporal does not say
 */
export function findUntaken({ logger, queues }: Pick<ActivityDependencies, 'logger' | 'queues'>) {
  return async ({
    places,
  }: {
    places: readonly TesterPlace[];
  }): Promise<{ waitsFor: string | null }> => {
    const { workflowExecution } = Context.current().info;
    try {
      const untaken = workflowExecution ? await queues.untaken(workflowExecution) : [];
      if (!untaken.some((type) => IMAGES.includes(type))) return { waitsFor: null };
      for (const place of places) {
        const queue = testTaskQueue(place);
        const { distribution, architecture } = place;
        if (!(await queues.hasWorker(queue)))
          return {
            waitsFor: `${A_TESTER} for ${distribution} on ${architecture}: none polls the task queue ${queue}`,
          };
      }
      return { waitsFor: `${A_TESTER} that is free` };
    } catch (error) {
      logger.warn({ err: error }, 'Temporal does not say whether a tester has the work');
      return { waitsFor: null };
    }
  };
}
