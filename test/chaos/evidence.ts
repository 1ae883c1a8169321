import type { Failure } from '../../domain/builds/failure.ts';
import type { LandingEventBody, LandingPart } from '../../domain/landings/landing.ts';
import type { LandingFailure } from '../../domain/landings/landing-failure.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { WorkerMessage } from '../../domain/builds/progress.ts';
import type { TestRunState } from '../../domain/testing/test-run.ts';
import type { TestVerdict } from '../../domain/testing/test-verdict.ts';
import type { LandedBuild } from './lander.ts';
import type { RequestedLanding } from './landing-lander.ts';
import type { PpaRecords } from './ppa-records.ts';
import type { Delivery } from './progress-consumer.ts';

/** A row of the table `build`. */
export type BuildRow = {
  id: number;
  ticketId: number;
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

/** A row of the table `landing`. */
export type LandingRow = {
  id: number;
  ticketId: number;
  ppa: string | null;
  attempt: number;
  phase: LandingPhase;
  lastSeq: number;
  isFinished: boolean;
  parts: LandingPart[];
  failure: LandingFailure | null;
};

/** A row of the table `test_run` that is of a landing. */
export type TestRunRow = {
  landingId: number;
  attempt: number;
  source: string;
  state: TestRunState;
  /** RFC 3339, UTC. */
  endedAt: string | null;
};

/** What Airline knows of landings, and what its callers were told of them. */
export type LandingEvidence = {
  requested: RequestedLanding[];
  rows: LandingRow[];
  events: { isPublished: boolean; body: LandingEventBody }[];
  /** In the order of the lander's consumer. */
  deliveries: Delivery[];
  runs: TestRunRow[];
  /** What the named tests of each attempt say. */
  verdicts: { landingId: number; attempt: number; test: string; verdict: TestVerdict }[];
  pool: { ppa: string; state: string; reason: string | null }[];
  workflows: WorkflowRecord[];
};

/** A workflow of a build or of a landing, as Temporal tells it. */
export type WorkflowRecord = {
  /** Of the build or the landing. */
  ownerId: number;
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
  /** Of builds, in the order of the lander's consumer. */
  deliveries: Delivery[];
  ppa: PpaRecords;
  workflows: WorkflowRecord[];
  landings: LandingEvidence;
  /** Parts that were not up at the end. */
  absentParts: string[];
  /** Whether nothing was killed, so that nothing had to be done twice. */
  isPeaceful: boolean;
};
