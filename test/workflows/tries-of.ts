import type { WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';

type Tries = {
  /** How many at most; 0 where they go on until the time for all is over. */
  most: number;
  /** How long one may take, in seconds. */
  onceS: number;
  /** How long one may be silent, in seconds; then its worker counts as gone. */
  silentS: number;
};

/** How Temporal is told to try the activities of a workflow, by their type; none that are local are among them. */
export async function triesOf(handle: WorkflowHandle): Promise<Record<string, Tries>> {
  const { events } = await handle.fetchHistory();
  return Object.fromEntries(
    (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: activity }) =>
      activity
        ? [
            [
              activity.activityType?.name ?? '',
              {
                most: activity.retryPolicy?.maximumAttempts ?? 0,
                onceS: tsToMs(activity.startToCloseTimeout) / 1_000,
                silentS: tsToMs(activity.heartbeatTimeout) / 1_000,
              },
            ],
          ]
        : [],
    ),
  );
}
