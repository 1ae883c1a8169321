import { Context } from '@temporalio/activity';
import { A_TESTER, testTaskQueue, type TesterPlace } from '../../domain/testing/test-run.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** What testers make to test in: a landing waits for each, whatever others they make. */
const IMAGES = ['makeBaseImage', 'makeLandingImage'];
/** What they do in the images: a landing gets on while they do some of it. */
const TESTS = ['planTests', 'planBaselines', 'runTest'];

/**
 * Looks whether testers have taken the work of the landing that asks.
 *
 * @returns what the landing waits for, in words; null where testers have all of its images, or some of its tests and
 * each place has a tester, or where Temporal does not say
 */
export function findUntaken({ logger, queues }: Pick<ActivityDependencies, 'logger' | 'queues'>) {
  return async ({
    places,
  }: {
    places: readonly TesterPlace[];
  }): Promise<{ waitsFor: string | null }> => {
    const { workflowExecution } = Context.current().info;
    try {
      const pending = workflowExecution ? await queues.pendingActivities(workflowExecution) : [];
      const ofType = (types: readonly string[]) =>
        pending.filter(({ type }) => types.includes(type));
      const images = ofType(IMAGES);
      const tests = ofType(TESTS);
      if ([...images, ...tests].every(({ isTaken }) => isTaken)) return { waitsFor: null };
      for (const place of places) {
        const queue = testTaskQueue(place);
        const { distribution, architecture } = place;
        if (!(await queues.hasWorker(queue)))
          return {
            waitsFor: `${A_TESTER} for ${distribution} on ${architecture}: none polls the task queue ${queue}`,
          };
      }
      const getsOn = images.every(({ isTaken }) => isTaken) && tests.some(({ isTaken }) => isTaken);
      return { waitsFor: getsOn ? null : `${A_TESTER} that is free` };
    } catch (error) {
      logger.warn({ err: error }, 'Temporal does not say whether a tester has the work');
      return { waitsFor: null };
    }
  };
}
