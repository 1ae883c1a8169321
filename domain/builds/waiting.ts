import type { BuildPhase } from './build-phase.ts';
import type { BuildLimits } from './build-request.ts';
import { executionTimeoutMs, wholeBuildBeginsAtMs } from './build-workflow.ts';

/**
 * What a build can wait for: Temporal, which is to start its workflow; a worker that takes it; the PPA, which is to
 * show the upload; a builder of the PPA; a build dependency; packages of its own request, which are to be published
 * before it uploads those that need them.
 */
export const WAITED_FOR = [
  'temporal',
  'worker',
  'ppa',
  'builder',
  'dependency',
  'prerequisite',
] as const;

export type WaitedFor = (typeof WAITED_FOR)[number];

const WORDS: Record<WaitedFor, string> = {
  temporal: 'its workflow to start',
  worker: 'a worker',
  ppa: 'the PPA to show the upload',
  builder: 'a builder of the PPA',
  dependency: 'a build dependency',
  prerequisite: 'the PPA to publish what later packages need',
};

/** What a build waits for, as people read it: `a builder of the PPA`. */
export function waitedForWords(waitedFor: WaitedFor): string {
  return WORDS[waitedFor];
}

/** A wait as messages and the build resource show it. */
export type Waiting = {
  for: WaitedFor;
  /** RFC 3339 in UTC. */
  since: string;
  /** How long earlier builds for the same series waited in the phase: their median; null where none is known. */
  usually_ms: number | null;
  /** When the build fails if nothing happens, RFC 3339 in UTC; null where that is not known. */
  gives_up_at: string | null;
  /** How many requests were before it in the queue; null where it waits for something else. */
  ahead: number | null;
};

/** The times after which a build that waits is given up. */
export type WaitLimits = Pick<BuildLimits, 'acceptanceMs' | 'dependencyWaitMs' | 'wholeBuildMs'> & {
  /** For an accepted build to get its workflow. */
  startMs: number;
  /** For the workflow, its end included; what no worker takes ends by it. */
  executionMs: number;
};

/** What says how a build stands in its phase. */
type WaitingBuild = {
  readonly phase: BuildPhase;
  readonly phaseSince: Date;
  readonly requestedAt: Date;
  readonly dispatchedAt: Date | null;
  readonly takenAt: Date | null;
  readonly dependencyWaitSince: Date | null;
  readonly waitLimits: WaitLimits | null;
};

const WAITED_FOR_IN: Partial<Record<BuildPhase, WaitedFor>> = {
  queued: 'worker',
  accepting: 'ppa',
  waiting_for_builder: 'builder',
  dependency_wait: 'dependency',
  prerequisite_wait: 'prerequisite',
};

/** The limits of waits among those of a build. @param startMs time for an accepted build to get its workflow */
export function waitLimitsOf(limits: BuildLimits, startMs: number): WaitLimits {
  const { acceptanceMs, dependencyWaitMs, wholeBuildMs } = limits;
  return {
    acceptanceMs,
    dependencyWaitMs,
    wholeBuildMs,
    startMs,
    executionMs: executionTimeoutMs(limits),
  };
}

/** Whether a build waits in a phase for something that is not its own work. */
export function isWait(phase: BuildPhase): boolean {
  return WAITED_FOR_IN[phase] !== undefined;
}

/**
 * What a build waits for; null in a phase in which it does not wait.
 *
 * @param known what earlier builds and the queue say
 */
export function waitingOf(
  build: WaitingBuild,
  known: Pick<Waiting, 'usually_ms' | 'ahead'>,
): Waiting | null {
  const waitedFor = WAITED_FOR_IN[build.phase];
  if (!waitedFor) return null;
  const since =
    (build.phase === 'dependency_wait' && build.dependencyWaitSince) || build.phaseSince;
  return {
    for: waitedFor === 'worker' && !build.dispatchedAt ? 'temporal' : waitedFor,
    since: since.toISOString(),
    usually_ms: known.usually_ms,
    gives_up_at: givesUpAt(build, since)?.toISOString() ?? null,
    ahead: known.ahead,
  };
}

function givesUpAt(build: WaitingBuild, since: Date): Date | null {
  const { phase, requestedAt, dispatchedAt, takenAt, waitLimits: limits } = build;
  if (!limits) return null;
  if (phase === 'queued')
    return dispatchedAt
      ? addMs(dispatchedAt, limits.executionMs)
      : addMs(requestedAt, limits.startMs);
  if (!takenAt) return null;
  const startedAt = dispatchedAt ?? takenAt;
  const beginsAtMs = wholeBuildBeginsAtMs(startedAt.getTime(), takenAt.getTime());
  const end = new Date(beginsAtMs + limits.wholeBuildMs);
  // A retry begins with it: the PPA has the upload, and is asked to build it again for as long as there is time.
  const isUploaded = since.getTime() !== takenAt.getTime();
  if (phase === 'accepting' && isUploaded) return earlier(end, addMs(since, limits.acceptanceMs));
  if (phase === 'dependency_wait') return earlier(end, addMs(since, limits.dependencyWaitMs));
  return end;
}

function addMs(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
