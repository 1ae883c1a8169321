import type { ActivityDependencies } from '../dependencies.ts';
import { heartbeating } from '../temporal/heartbeat.ts';
import { emptyPpa } from './empty-ppa.ts';
import { endCleaning } from './end-cleaning.ts';

/** The activities of CleanPpaWorkflow. */
export function createPoolActivities(deps: ActivityDependencies) {
  return {
    emptyPpa: heartbeating(emptyPpa(deps)),
    endCleaning: endCleaning(deps),
  };
}
