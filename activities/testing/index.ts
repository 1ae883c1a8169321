import { ApplicationFailure, Context } from '@temporalio/activity';
import { heartbeating } from '../temporal/heartbeat.ts';
import type { TestingDependencies } from './dependencies.ts';
import { imageProblemsBefore, type ImageProblems } from './image-problems.ts';
import { makeBaseImage } from './make-base-image.ts';
import { makeLandingImage } from './make-landing-image.ts';
import { planBaselines } from './plan-baselines.ts';
import { planTests } from './plan-tests.ts';
import { runTest } from './run-test.ts';
import { imageProblemOf } from './test-machine.ts';

/**
 * An image that cannot be made so often is given up. All else, such as a database that is away, is tried for longer,
 * and does not count here.
 */
const MAX_IMAGE_PROBLEMS = 3;
/** The type of the failure by which a landing recognises it. */
const UNINSTALLABLE = 'uninstallable';

/** The activities of a tester, on the task queue of its architecture. */
export function createTestingActivities(deps: TestingDependencies) {
  return {
    makeBaseImage: limited(makeBaseImage(deps)),
    makeLandingImage: limited(makeLandingImage(deps)),
    planTests: heartbeating(planTests(deps)),
    planBaselines: heartbeating(planBaselines(deps)),
    runTest: runTest(deps),
  };
}

function limited<Input, Output>(
  make: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    try {
      return await make(input);
    } catch (error) {
      const problem = imageProblemOf(error);
      if (!problem) throw error;
      const { message, name, isUninstallable } = problem;
      if (isUninstallable) throw ApplicationFailure.nonRetryable(message, UNINSTALLABLE);
      const problems = imageProblemsBefore().problems + 1;
      if (problems >= MAX_IMAGE_PROBLEMS) throw ApplicationFailure.nonRetryable(message, name);
      Context.current().heartbeat({ problems } satisfies ImageProblems);
      throw problem;
    }
  };
}
