import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { BuildLimits } from '../domain/build-source.ts';

// Steps that move bytes heartbeat every few seconds; this long without one means that their worker is gone.
const HEARTBEAT_MS = 30_000;
// A look at the PPA is a handful of HTTP requests, each with its own time-out.
const LOOK_MS = 120_000;
// The database may be away for long; the final report outlives that, but not for ever.
const REPORT_MS = 7 * 86_400_000;

const transientFaults = { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000 };

/**
 * Calls of the activities, each with its time limits and retries and a summary for Temporal's UI.
 * Limits that are a build's own come with its input.
 */
export function activityStubs(limits: BuildLimits) {
  return {
    checkSources: (summary: string, input: Parameters<Activities['checkSources']>[0]) =>
      proxyActivities<Activities>({
        summary,
        scheduleToCloseTimeout: limits.sourceCheckMs,
        startToCloseTimeout: limits.sourceCheckMs,
        heartbeatTimeout: HEARTBEAT_MS,
        retry: { ...transientFaults, maximumAttempts: 10 },
      }).checkSources(input),

    uploadSource: (summary: string, input: Parameters<Activities['uploadSource']>[0]) =>
      proxyActivities<Activities>({
        summary,
        scheduleToCloseTimeout: limits.uploadMs,
        startToCloseTimeout: limits.uploadMs,
        heartbeatTimeout: HEARTBEAT_MS,
        retry: { ...transientFaults, maximumAttempts: 10 },
      }).uploadSource(input),

    watchBuilds: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['watchBuilds']>[0],
    ) =>
      proxyActivities<Activities>({
        summary,
        scheduleToCloseTimeout: withinMs,
        startToCloseTimeout: LOOK_MS,
        retry: transientFaults,
      }).watchBuilds(input),

    cancelBuilds: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['cancelBuilds']>[0],
    ) =>
      proxyActivities<Activities>({
        summary,
        scheduleToCloseTimeout: withinMs,
        startToCloseTimeout: LOOK_MS,
        retry: transientFaults,
      }).cancelBuilds(input),

    collectLogs: (summary: string, input: Parameters<Activities['collectLogs']>[0]) =>
      proxyActivities<Activities>({
        summary,
        scheduleToCloseTimeout: limits.logCollectionMs,
        startToCloseTimeout: limits.logCollectionMs,
        heartbeatTimeout: HEARTBEAT_MS,
        retry: { ...transientFaults, maximumAttempts: 10 },
      }).collectLogs(input),

    // A row and no more: a local activity costs one history event where a normal one costs six.
    reportProgress: (input: Parameters<Activities['reportProgress']>[0]) =>
      proxyLocalActivities<Activities>({
        summary: input.message,
        scheduleToCloseTimeout: REPORT_MS,
        startToCloseTimeout: 10_000,
        retry: transientFaults,
      }).reportProgress(input),
  };
}
