import type { Failure } from '../../domain/failure.ts';
import type { WorkerMessage } from '../../domain/progress.ts';
import type { LandedBuild } from './lander.ts';
import type { PpaRecords } from './ppa-records.ts';
import type { Delivery } from './progress-consumer.ts';

/** A row of the table `build`. */
export type BuildRow = {
  id: number;
  ppa: string;
  state: string;
  lastSeq: number;
  isFinished: boolean;
  cancelRequested: boolean;
};

/** A row of the table `progress_event`. */
export type EventRow = {
  buildId: number;
  seq: number;
  message: WorkerMessage | null;
  isPublished: boolean;
  timestamp: string;
  failure: Failure | null;
  /** As it was when it was recorded. */
  body: unknown;
};

/** A workflow of a build, as Temporal tells it. */
export type WorkflowRecord = {
  buildId: number;
  workflowId: string;
  /** Temporal's word: COMPLETED, RUNNING, FAILED and so on. */
  status: string;
  /** Causes of failed workflow tasks that say that the workflow's code failed. */
  failedTasks: string[];
  /** Later tries of activities that a worker's end brought about, and not the activity itself. */
  repeatedActivities: string[];
};

/** All that a run leaves behind to be judged. */
export type Evidence = {
  landed: LandedBuild[];
  rows: BuildRow[];
  events: EventRow[];
  /** In the order of the lander's consumer. */
  deliveries: Delivery[];
  ppa: PpaRecords;
  workflows: WorkflowRecord[];
  /** Parts that were not up at the end. */
  absentParts: string[];
  /** Whether nothing was killed, so that nothing had to be done twice. */
  isPeaceful: boolean;
};
