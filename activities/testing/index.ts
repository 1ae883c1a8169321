import { heartbeating } from '../temporal/heartbeat.ts';
import type { TestingDependencies } from './dependencies.ts';
import { makeBaseImage } from './make-base-image.ts';
import { makeLandingImage } from './make-landing-image.ts';
import { planBaselines } from './plan-baselines.ts';
import { planTests } from './plan-tests.ts';
import { runTest } from './run-test.ts';

/** The activities of a tester, on the task queue of its architecture. */
export function createTestingActivities(deps: TestingDependencies) {
  return {
    makeBaseImage: makeBaseImage(deps),
    makeLandingImage: makeLandingImage(deps),
    planTests: heartbeating(planTests(deps)),
    planBaselines: heartbeating(planBaselines(deps)),
    runTest: runTest(deps),
  };
}
