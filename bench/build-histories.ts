import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { sideBySide } from '../timing/side-by-side.ts';

const LANES = 8;

/** A workflow's history as `historyToJSON` of the SDK gives it; only what is read here. */
export type WorkflowHistory = {
  events: {
    eventId: string;
    eventTime: string;
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
    activityTaskStartedEventAttributes?: { scheduledEventId: string; attempt?: number };
    activityTaskCompletedEventAttributes?: { scheduledEventId: string };
  }[];
};

/** One activity that has completed. Moments are milliseconds since the epoch. */
export type ActivityStep = {
  name: string;
  startedAtMs: number;
  completedAtMs: number;
  attempt: number;
};

/** Reads the steps of each of some builds, in the order of their scheduling. */
export async function readHistories<Build extends { workflowId: string }>(
  temporalAddress: string,
  builds: readonly Build[],
): Promise<{ build: Build; steps: ActivityStep[] }[]> {
  const connection = await Connection.connect({ address: temporalAddress });
  const temporal = new Client({ connection });
  try {
    return await sideBySide(builds, LANES, async (build) => {
      const history = await temporal.workflow.getHandle(build.workflowId).fetchHistory();
      return { build, steps: activitySteps(JSON.parse(historyToJSON(history)) as WorkflowHistory) };
    });
  } finally {
    await connection.close();
  }
}

/** The activities that a workflow has completed. */
export function activitySteps({ events }: WorkflowHistory): ActivityStep[] {
  const steps = new Map<string, ActivityStep>();
  const stepOf = (event?: { scheduledEventId: string }) => steps.get(event?.scheduledEventId ?? '');
  for (const event of events) {
    const atMs = epochMs(event.eventTime);
    const name = event.activityTaskScheduledEventAttributes?.activityType.name;
    if (name !== undefined)
      steps.set(event.eventId, { name, startedAtMs: 0, completedAtMs: 0, attempt: 0 });
    const start = event.activityTaskStartedEventAttributes;
    const started = stepOf(start);
    if (started) Object.assign(started, { startedAtMs: atMs, attempt: start?.attempt ?? 1 });
    const completed = stepOf(event.activityTaskCompletedEventAttributes);
    if (completed) completed.completedAtMs = atMs;
  }
  return [...steps.values()].filter(({ completedAtMs }) => completedAtMs > 0);
}

/** RFC 3339 with up to nanoseconds; `Date.parse` cuts what is below a millisecond. */
function epochMs(time: string): number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  return Math.floor(Date.parse(time) / 1_000) * 1_000 + Number(`0.${fraction || '0'}`) * 1_000;
}
