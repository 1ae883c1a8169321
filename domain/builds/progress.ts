import { finalPhase, phaseInPpa, type BuildPhase } from './build-phase.ts';
import {
  buildRecordState,
  waitsForDependencies,
  type BuildRecord,
  type BuildRecordState,
} from './build-state.ts';
import type { BuiltPackage, ListedPackages } from './built-package.ts';
import type { SequencedPackage } from './build-sequence.ts';
import type { Failure } from './failure.ts';
import type { ShownUpload } from './upload-progress.ts';
import type { Waiting } from './waiting.ts';

/** Worker messages (source build service, "States and transitions"). */
export const WORKER_MESSAGES = ['STARTED', 'INPROGRESS', 'COMPLETE', 'FAILURE'] as const;

export type WorkerMessage = (typeof WORKER_MESSAGES)[number];

/**
 * Key of a build's final report: its workflow and the dispatcher use the same, so that only one of the two is recorded.
 */
export const FINAL_REPORT_KEY = 'final';

/** Progress states of the message's `state` field. */
export const PROGRESS_STATES = ['WAITING', 'STATUS', 'COMPLETED', 'FAILED'] as const;

export type ProgressState = (typeof PROGRESS_STATES)[number];

/** The progress state that goes with each worker message. */
const PROGRESS_STATE = {
  STARTED: 'WAITING',
  INPROGRESS: 'STATUS',
  COMPLETE: 'COMPLETED',
  FAILURE: 'FAILED',
} as const satisfies Record<WorkerMessage, ProgressState>;

const MESSAGE: Record<BuildPhase, WorkerMessage | null> = {
  queued: null,
  merging: 'STARTED',
  checking: 'STARTED',
  uploading: 'STARTED',
  accepting: 'STARTED',
  waiting_for_builder: 'INPROGRESS',
  building: 'INPROGRESS',
  dependency_wait: 'INPROGRESS',
  prerequisite_wait: 'INPROGRESS',
  collecting: 'INPROGRESS',
  completed: 'COMPLETE',
  failed: 'FAILURE',
  cancelled: 'FAILURE',
};

/** The worker message of a phase; null in the queue, where no worker has the build. */
export function messageOfPhase(phase: BuildPhase): WorkerMessage | null {
  return MESSAGE[phase];
}

/** The progress state of a phase. */
export function progressStateOf(phase: BuildPhase): ProgressState {
  const message = MESSAGE[phase];
  return message === null ? 'WAITING' : PROGRESS_STATE[message];
}

/** COMPLETE and FAILURE end a build: nothing follows them. */
export function isFinal(message: WorkerMessage | null): boolean {
  return message === 'COMPLETE' || message === 'FAILURE';
}

/** One architecture's build as messages and the build resource show it. */
export type ArchitectureBuild = {
  package: string;
  version: string;
  architecture: string;
  /** Launchpad's word. */
  buildstate: string;
  state: BuildRecordState;
  web_link: string;
  /** When the PPA put it into the queue of its builders, RFC 3339 in UTC; where the PPA says it. */
  created_at?: string;
  /**
   * When the PPA began and ended it, RFC 3339 in UTC; null while it has not. Rows from before it was kept lack both.
   */
  started_at?: string | null;
  built_at?: string | null;
  /** What it waits for, as Launchpad words it; there in a Dependency wait that says so. */
  dependencies?: string;
};

/** Build records as messages show them. */
export function architectureBuilds(records: readonly BuildRecord[]): ArchitectureBuild[] {
  return records.map((record) => ({
    package: record.package,
    version: record.version,
    architecture: record.architecture,
    buildstate: record.buildState,
    state: buildRecordState(record.buildState),
    web_link: record.webLink,
    ...createdAt(record),
    started_at: timeOf(record.startedAt),
    built_at: timeOf(record.builtAt),
    ...(waitsForDependencies(record) && record.dependencies
      ? { dependencies: record.dependencies }
      : {}),
  }));
}

function createdAt({ createdAt: text }: BuildRecord): Pick<ArchitectureBuild, 'created_at'> {
  const time = timeOf(text ?? null);
  return time === null ? {} : { created_at: time };
}

/** A time of the PPA's web service in UTC; null where it is not a time. */
function timeOf(text: string | null): string | null {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** What a workflow or an activity reports of a build. */
export type ProgressReport = {
  buildId: number;
  /**
   * The attempt that reports; 1 where it says nothing. What an attempt says after the next was asked for is dropped.
   */
  attempt?: number;
  /** The key of that attempt, as its request has it. */
  attemptKey?: string;
  /** Names the report within its attempt, so that a repeated one is recorded once. */
  key: string;
  message: WorkerMessage;
  /** The phase that it tells of, where the message alone does not say. */
  phase?: BuildPhase;
  builds?: ArchitectureBuild[];
  /** Of a request with an order: its packages in it. */
  sequence?: SequencedPackage[];
  /** Data-store URLs; on final messages only. */
  logs?: string[];
  failure?: Failure;
  /** What was built; on the message of a completed build only, where the PPA could be asked. */
  built?: ListedPackages;
  /** The workflow knows of nothing that the attempt has sent: where its rows do, it is not recorded. */
  ifNothingSent?: true;
};

/** The number of the poll that the key of a report is of; undefined where it is of something else. */
export function pollOf(key: string): number | undefined {
  const number = /^poll-(\d+)/.exec(key)?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * The phase that a report tells of.
 *
 * @param builds what the PPA has, by this report or an earlier one
 */
export function phaseOfReport(
  { message, phase, failure }: Pick<ProgressReport, 'message' | 'phase' | 'failure'>,
  builds: readonly ArchitectureBuild[],
): BuildPhase {
  if (phase) return phase;
  switch (message) {
    case 'STARTED':
      return 'checking';
    case 'INPROGRESS':
      return phaseInPpa(builds.map(({ state }) => state));
    case 'COMPLETE':
      return 'completed';
    case 'FAILURE':
      return failure ? finalPhase(failure) : 'failed';
  }
}

/** The message on the caller's queue, and the event of the events endpoint (JSON). */
export type ProgressMessage = {
  state: ProgressState;
  /** Null while no worker has the build. */
  message: WorkerMessage | null;
  phase: BuildPhase;
  /** When it came into the phase, RFC 3339 in UTC. */
  phase_since: string;
  source_packages: string[];
  ppa: string;
  /** Null where the request named a webhook in place of a queue. */
  progress_trigger: string | null;
  seq: number;
  build_id: number;
  /** 1, or more after retries; each attempt ends with a final message of its own. */
  attempt: number;
  ticket_id: number;
  /** RFC 3339, UTC. */
  timestamp: string;
  builds: ArchitectureBuild[];
  /** Of a request with an order, once its sources are checked. */
  sequence?: SequencedPackage[];
  /** There while it waits. */
  waiting?: Waiting;
  /** There while a package is uploaded. */
  upload?: ShownUpload;
  exit?: true;
  logs?: string[];
  failure?: Failure;
  /** What was built, by name and architecture; empty where the PPA did not show it yet. Of a completed build. */
  packages?: BuiltPackage[];
  /** The line for apt's `sources.list`, where it is known. Of a completed build. */
  apt?: string | null;
};

/** AMQP `message_id` of an event, by which a consumer recognises a redelivery. */
export function messageId(event: Pick<ProgressMessage, 'build_id' | 'seq'>): string {
  return `${event.build_id}:${event.seq}`;
}
