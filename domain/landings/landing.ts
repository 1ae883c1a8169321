import type { BuildSourceInput } from '../builds/build-workflow.ts';
import type { BuildLabels } from '../builds/build-labels.ts';
import type { BuildLimits } from '../builds/build-request.ts';
import type { LandingEstimate } from './landing-estimate.ts';
import type { LandingFailure } from './landing-failure.ts';
import type { Ppa } from '../packages/ppa.ts';
import type { LandingPhase } from './landing-phase.ts';
import type { LandingPolicy } from './landing-policy.ts';
import type { TestsVerdict, TestVerdict } from '../testing/test-verdict.ts';
import type { WorkflowStep } from '../tickets/ticket.ts';

/** Where a landing publishes to. */
export type LandingTarget = {
  /** A PPA in any form that callers use, or the name of a distribution, which is its primary archive. */
  archive: string;
  series: string;
  pocket: string;
};

/** One source package of a landing, as the ticket's subticket names it. */
export type LandingPackage = {
  subticketId: number;
  source: string;
  version: string;
  /** Data-store URLs of all its files. */
  files: string[];
};

export const PART_STATES = [
  'waiting',
  'building',
  'built',
  'failed',
  'not_built',
  'published',
] as const;

/** How one source package of a landing stands. */
export type LandingPart = {
  subticket_id: number;
  source: string;
  version: string;
  state: (typeof PART_STATES)[number];
  /** Null until its build is requested. */
  build_id: number | null;
  /** 0 is built first, side by side with the others of its level; once the order is known. */
  level?: number;
  /** The target cannot publish it any more: somebody rejected it there, or it was not sent. */
  unpublishable?: true;
};

/** How a package stands before anything is done with it. */
export function waitingPart({ subticketId, source, version }: LandingPackage): LandingPart {
  return { subticket_id: subticketId, source, version, state: 'waiting', build_id: null };
}

/** What a person can decide of a landing. */
export const DECISIONS = ['approve', 'reject'] as const;

/** An approval or a rejection: whose, and why. */
export type Decision = {
  decision: (typeof DECISIONS)[number];
  by: string;
  comment: string;
};

/** A landing that is before another in the queue of its target. */
export type LandingAhead = { landing_id: number; ticket_id: number };

/** Landings that are before another, as people read them: `landing 5 (ticket 3), landing 6 (ticket 9)`. */
export function shownAhead(ahead: readonly LandingAhead[]): string {
  return ahead
    .map(({ landing_id: id, ticket_id: ticket }) => `landing ${id} (ticket ${ticket})`)
    .join(', ');
}

/** Deadlines of one landing; config gives the defaults. */
export type LandingLimits = {
  /** Time for those before it to end. */
  queueMs: number;
  /** Time for a PPA of the pool to be free; landings that older code accepted have none, and name their PPA. */
  leaseMs?: number;
  /** Time for a person to decide. */
  approvalMs: number;
  /** Time for the target to show what was copied. */
  publicationMs: number;
  /** Wait between two questions to the queue or to the target. */
  pollMs: number;
  /** Time for a tester to take what it is asked for; a landing with tests has one. */
  testerMs?: number;
  /** Time until the first poll of whether a tester has an image; 20 seconds where it is not given. */
  testerPollMs?: number;
  /** First pause before images are made anew that the index was behind; 10 minutes where it is not given. */
  indexPollMs?: number;
  /** Time for the images and tests of one round; a landing with tests has one. */
  testsMs?: number;
  /** Time for a signal that tells what the row says already; 10 minutes where it is not given. */
  signalMs?: number;
};

/** An image with a landing's packages, and the one without them that it is compared with. */
export type TestedImage = { architecture: string; imageId: number; baseImageId: number };

/** How the tests of a landing stand. */
export type LandingTests = {
  /** Sources on an architecture that are tested. */
  planned: number;
  /** Those that are judged. */
  finished: number;
  /** Those that the policy left out. */
  left: number;
  verdict: TestsVerdict;
  /** How many named tests have each verdict. */
  verdicts: Partial<Record<TestVerdict, number>>;
  /** All is tested on new base images, as those of before may be older than what was built. */
  renewed?: true;
};

/** Which round of images and tests a landing makes. */
export type TestingRound = {
  /** 0, and one more each time that the target has changed. */
  number: number;
  /** What the target has got, such as `hello 2.10-4`; nothing in the first round. */
  moved: readonly string[];
  /** The number of the round that failed on base images that may be older than what was built. */
  renewedRound?: number;
  /** Set once its images were behind the target: they are made anew within its time, in milliseconds since 1970. */
  endsAtMs?: number;
};

/** Where the testing of a landing is, as it continues as new. */
export type TestingProgress = {
  images: TestedImage[];
  left: number;
  /** 0, and one more each time that the target has changed. */
  round: number;
  /** The round that was made once more on new base images before it was blamed; an attempt may have one. */
  renewedRound?: number;
  /** In place of that in older inputs, which did not tell which round it was. */
  isRenewed?: boolean;
  /** When its time is over, in milliseconds since 1970. */
  endsAtMs: number;
};

/** Input of LandTicketWorkflow. */
export type LandingInput = {
  landingId: number;
  ticketId: number;
  attempt: number;
  /**
   * Random, of the attempt: names it also where the database was set back and gives its number again. Older inputs lack
   * it.
   */
  attemptKey?: string;
  /** When it was first requested, in milliseconds since 1970; the same for all attempts. Older inputs lack it. */
  requestedAtMs?: number;
  packages: LandingPackage[];
  /** Where it builds. Without one, it takes a PPA of the pool. */
  ppa?: Ppa;
  target: LandingTarget;
  limits: LandingLimits;
  buildLimits: BuildLimits;
  /** Without one, no tests are run and a person decides: landings that older code accepted have none. */
  policy?: LandingPolicy;
  /**
   * Set where it continues as new while it waits, or among its tests: when it came into the line of its target, when it
   * began to wait for a PPA, and how many reports it has made.
   */
  resumed?: {
    queuedAtMs: number;
    reports: number;
    leasingAtMs?: number;
    /** What is built, in this order, the round that waits for the index, and how long its next pause is. */
    imaging?: { round: TestingRound; pauseMs: number; parts: LandingPart[]; order: string[] };
    /** What is built, in this order, and where its tests are. */
    testing?: { progress: TestingProgress; parts: LandingPart[]; order: string[] };
    /** The same of one that waits for an approval, and how long that may take; without `progress` it has no tests. */
    approving?: {
      endsAtMs: number;
      progress?: TestingProgress;
      parts: LandingPart[];
      order: string[];
    };
  };
};

/** A version of a source package that a landing has uploaded to a PPA of the pool, by the PPA's reference. */
export type PoolUpload = { ppa: string; source: string; version: string };

/** What LandTicketWorkflow needs to run a build as its child. */
export type LandingBuild =
  | { buildId: number; isBuilt: true }
  | {
      buildId: number;
      isBuilt: false;
      workflowId: string;
      input: BuildSourceInput;
      labels: BuildLabels;
    };

/** The attempt of a landing that a workflow works for, as its input names it. */
export type LandingAttemptName = Pick<LandingInput, 'landingId' | 'attempt' | 'attemptKey'>;

/** What the workflow reports of a landing. */
export type LandingReport = LandingAttemptName & {
  /** Names the report within its attempt, so that a repeated one is recorded once. */
  key: string;
  phase: LandingPhase;
  parts?: LandingPart[];
  /** The landings that it waits for. */
  ahead?: LandingAhead[];
  /** What it waits for besides, in words. */
  waitsFor?: string;
  /** Its images are not made anew, though it is `imaging`: what is planned in them stays planned. */
  keepsRuns?: true;
  tests?: LandingTests;
  /** What the target got since the packages were tested, as they are to be tested again: `hello 2.10-4`. */
  targetMoved?: string[];
  /** Of the first architecture that it is tested on. */
  baseImageId?: number;
  failure?: LandingFailure;
};

/** What the workflow is told of its report. */
export type LandingReported = {
  /** The attempt had ended before, or must not be published, or not yet. */
  isEnded: boolean;
  /** The attempt had ended before. Older workers do not say. */
  hasEnded?: true;
  /** What a person decided, where the report asks for it and had been made before. */
  decision?: Decision;
};

/** An event of a landing, as the events endpoint gives it. */
export type LandingEventBody = {
  seq: number;
  landing_id: number;
  ticket_id: number;
  attempt: number;
  phase: LandingPhase;
  /** The workflow step that the phase is. */
  step: WorkflowStep;
  /** RFC 3339, UTC. */
  timestamp: string;
  parts: LandingPart[];
  /** Landings of the same packages that come first, or that hold the PPAs of the pool. */
  ahead?: LandingAhead[];
  /** What it waits for, in words. */
  waits_for?: string;
  /** What the target got since the packages were tested, while they are tested and approved again. */
  target_moved?: string[];
  /** When it is expected to begin and to be complete, while it waits for other landings. */
  estimate?: LandingEstimate;
  /** Who has paused it. */
  paused_by?: string;
  /** Who has resumed it since the event before. */
  resumed_by?: string;
  tests?: LandingTests;
  decision?: Decision;
  exit?: true;
  failure?: LandingFailure;
};

/** Names the message of a landing's event, the same each time that it is sent. */
export function landingMessageId({
  landing_id: id,
  seq,
}: Pick<LandingEventBody, 'landing_id' | 'seq'>): string {
  return `landing:${id}:${seq}`;
}

/** Answer of the status query. */
export type LandingStatus = Pick<LandingEventBody, 'phase' | 'parts' | 'tests' | 'paused_by'>;

/** Result of LandTicketWorkflow. A landing that failed is a result, not an exception. */
export type LandingResult =
  { phase: 'complete' } | { phase: 'failed' | 'cancelled'; failure: LandingFailure };

/** What came of a try to lease a PPA of the pool: it, or whom and what the landing waits for. */
export type LeaseAnswer = { ppa: Ppa } | { ahead: LandingAhead[]; waitsFor: string };

/** The signal that carries a person's decision to the workflow. */
export const DECIDE_SIGNAL = 'decide';

/** The signal that says that the landing's row, or a test's override, has changed. */
export const WAKE_SIGNAL = 'wake';

/** The workflow id of a landing's attempt, such as `land-7-ticket-42` or `land-7-ticket-42-attempt-2`. */
export function landingWorkflowId(landing: {
  id: number;
  ticketId: number;
  attempt: number;
}): string {
  const again = landing.attempt > 1 ? `-attempt-${landing.attempt}` : '';
  return `land-${landing.id}-ticket-${landing.ticketId}${again}`;
}
