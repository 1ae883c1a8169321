import {
  ActivityCancellationType,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { BuildLimits } from '../domain/builds/build-request.ts';
import { HEARTBEAT_MS, rowActivities, TRANSIENT_FAULTS } from './activity-options.ts';

// A poll of the PPA is a handful of HTTP requests for each package or build, one after the other.
const POLL_MS = 120_000;
const POLL_ONE_MS = 10_000;

/** Time for one try to ask the PPA about so many packages or builds. */
export const onePollMs = (count: number): number => POLL_MS + count * POLL_ONE_MS;
/** As Temporal names a try that took all of its time. */
const WHOLE_TRY = 'TemporalTimeout:StartToClose';

/**
 * A step that moves bytes: about a quarter of an hour of failing, or one try that takes all of its time. The time for
 * all tries has their wait for a free worker in it, so it is no measure of their work.
 *
 * @param onceMs time for one try
 * @param withinMs time for all tries
 */
const transfer = (summary: string, onceMs: number, withinMs: number, more: ActivityOptions = {}) =>
  proxyActivities<Activities>({
    summary,
    scheduleToCloseTimeout: withinMs,
    startToCloseTimeout: Math.min(onceMs, withinMs),
    heartbeatTimeout: HEARTBEAT_MS,
    retry: { ...TRANSIENT_FAULTS, maximumAttempts: 20, nonRetryableErrorTypes: [WHOLE_TRY] },
    ...more,
  });

/** A step that asks the PPA about so many packages or builds, again and again until the time is over. */
const ask = (summary: string, withinMs: number, count: number, more: ActivityOptions = {}) =>
  proxyActivities<Activities>({
    summary,
    scheduleToCloseTimeout: withinMs,
    startToCloseTimeout: onePollMs(count),
    heartbeatTimeout: HEARTBEAT_MS,
    retry: TRANSIENT_FAULTS,
    ...more,
  });

/**
 * Calls of the activities, each with its time limits and retries and a summary for Temporal's UI.
 * Limits that are a build's own come with its input.
 */
export function activityStubs(limits: BuildLimits) {
  const { transferQueue, logQueue } = limits;
  const amongLogs = logQueue ? { taskQueue: logQueue } : {};
  const amongTransfers = transferQueue ? { taskQueue: transferQueue } : {};
  return {
    checkSources: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['checkSources']>[0],
    ) => transfer(summary, limits.sourceCheckMs, withinMs, amongTransfers).checkSources(input),

    mergeProposal: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['mergeProposal']>[0],
    ) => transfer(summary, limits.sourceCheckMs, withinMs, amongTransfers).mergeProposal(input),

    uploadSource: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['uploadSource']>[0],
    ) => {
      const limitMs = Math.min(limits.uploadMs, withinMs);
      return transfer(summary, limits.uploadSessionMs ?? limitMs, limitMs, {
        ...amongTransfers,
        // It counts its sessions by itself: a web service that is away uses none of them up.
        retry: TRANSIENT_FAULTS,
        // One that is cancelled too late goes on to its end, and the workflow has to know of it.
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      }).uploadSource(input);
    },

    watchBuilds: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['watchBuilds']>[0],
    ) => ask(summary, withinMs, input.packages.length).watchBuilds(input),

    retryBuilds: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['retryBuilds']>[0],
      cancellationType: ActivityCancellationType,
    ) => ask(summary, withinMs, input.packages.length, { cancellationType }).retryBuilds(input),

    cancelBuilds: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['cancelBuilds']>[0],
    ) => ask(summary, withinMs, input.records.length).cancelBuilds(input),

    collectLogs: (
      summary: string,
      withinMs: number,
      input: Parameters<Activities['collectLogs']>[0],
    ) => transfer(summary, limits.logCollectionMs, withinMs, amongLogs).collectLogs(input),

    reportProgress: (input: Parameters<Activities['reportProgress']>[0]) =>
      rowActivities(input.message).reportProgress(input),

    joinWatch: (input: Parameters<Activities['joinWatch']>[0]) =>
      rowActivities('wait for the PPA').joinWatch(input),
  };
}
