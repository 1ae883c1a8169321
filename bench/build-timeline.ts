import { lastStep, type WorkflowSteps } from './workflow-steps.ts';

/** Times of one build in milliseconds since the epoch, beside those that its workflow's history has. */
export type BuildTimes = {
  /** The POST of build_source begins. */
  postedAtMs: number;
  /** The PPA has made the build record of the upload. */
  recordCreatedAtMs: number;
  /** The process of sbuild begins and ends. */
  sbuildStartedAtMs: number;
  sbuildEndedAtMs: number;
  /** The build record has reached its last state. */
  recordEndedAtMs: number;
  /** The final message has reached the consumer. */
  receivedAtMs: number;
};

/** A piece of a build's time. */
export type Segment = { name: string; durationMs: number };

/** The name of the one segment that is not overhead. */
export const SBUILD = 'sbuild';

/**
 * Cuts a build's time, from the POST to the final message at the consumer, into segments without gap or overlap. A
 * segment that another one has swallowed, such as the wait of a look that began before the build ended, has 0 ms.
 */
export function buildTimeline(steps: WorkflowSteps, times: BuildTimes): Segment[] {
  const look = lastStep(steps, 'watchBuilds');
  const ends: [name: string, endMs: number][] = [
    ['request: POST until the workflow starts', steps.startedAtMs],
    ['sources: fetched and checked', lastStep(steps, 'checkSources').completedAtMs],
    ['upload to the PPA', lastStep(steps, 'uploadSource').completedAtMs],
    ['PPA: upload processed, build record made', times.recordCreatedAtMs],
    ['PPA: builder prepared', times.sbuildStartedAtMs],
    [SBUILD, times.sbuildEndedAtMs],
    ['PPA: packages kept, build record ended', times.recordEndedAtMs],
    ['wait for the next look', look.timerFiredAtMs ?? look.scheduledAtMs],
    ['look at the PPA', look.completedAtMs],
    ['logs collected', lastStep(steps, 'collectLogs').completedAtMs],
    ['final message: recorded, published, received', times.receivedAtMs],
  ];
  let reachedMs = times.postedAtMs;
  return ends.map(([name, endMs]) => {
    const durationMs = Math.max(0, endMs - reachedMs);
    reachedMs += durationMs;
    return { name, durationMs };
  });
}

/** The time of all segments but sbuild's. */
export function overheadMs(segments: readonly Segment[]): number {
  return segments
    .filter(({ name }) => name !== SBUILD)
    .reduce((sum, { durationMs }) => sum + durationMs, 0);
}
