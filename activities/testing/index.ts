import { ApplicationFailure, Context } from '@temporalio/activity';
import { UNINSTALLABLE } from '../../domain/testing/tester-activities.ts';
import { heartbeating } from '../temporal/heartbeat.ts';
import { unlessEnded } from '../unless-ended.ts';
import type { TestingDependencies } from './dependencies.ts';
import { imageProblemsBefore, type ImageProblems } from './image-problems.ts';
import { makeBaseImage } from './make-base-image.ts';
import { makeLandingImage } from './make-landing-image.ts';
import { planBaselines } from './plan-baselines.ts';
import { planTests } from './plan-tests.ts';
import { runTest } from './run-test.ts';
import { imageProblemOf } from './test-machine.ts';

/**
 * The pauses after the tries to make an image that fail for the image itself; one more such try is the last. What is
 * lacking takes minutes to come: apt's index of what a PPA has just published, or a mirror that is being updated. All
 * else, such as a database that is away, is tried for longer, and does not count here.
 */
const IMAGE_PAUSES_MS = [120_000, 600_000];

/** The activities of a tester, on the task queue of its place. */
export function createTestingActivities(deps: TestingDependencies) {
  const whileUnderWay = unlessEnded(deps);
  return {
    makeBaseImage: limited(makeBaseImage(deps)),
    makeLandingImage: limited(whileUnderWay(makeLandingImage(deps))),
    planTests: heartbeating(whileUnderWay(planTests(deps))),
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
      const { problems } = imageProblemsBefore();
      const nextRetryDelay = IMAGE_PAUSES_MS[problems];
      if (nextRetryDelay === undefined) throw ApplicationFailure.nonRetryable(message, name);
      Context.current().heartbeat({ problems: problems + 1 } satisfies ImageProblems);
      throw ApplicationFailure.create({ type: name, message, nextRetryDelay, cause: problem });
    }
  };
}
