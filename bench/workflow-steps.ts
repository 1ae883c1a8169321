/** A workflow history as `historyToJSON` of the SDK gives it; only what is read here. */
export type WorkflowHistory = {
  events: {
    eventId: string;
    eventType: string;
    eventTime: string;
    timerStartedEventAttributes?: { startToFireTimeout?: string };
    timerFiredEventAttributes?: object;
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
    activityTaskStartedEventAttributes?: {
      scheduledEventId: string;
      attempt?: number;
      lastFailure?: { message?: string };
    };
    activityTaskCompletedEventAttributes?: { scheduledEventId: string };
  }[];
};

/** One activity that completed, with the times of its events in milliseconds since the epoch. */
export type ActivityStep = {
  name: string;
  scheduledAtMs: number;
  startedAtMs: number;
  completedAtMs: number;
  attempt: number;
  /** When the last durable timer before it fired, if there was one. */
  timerFiredAtMs: number | undefined;
};

/** When a workflow started, and the activities that it completed, in the order of their scheduling. */
export type WorkflowSteps = { startedAtMs: number; activities: ActivityStep[] };

/** Reads the times of a build's steps from its history. */
export function workflowSteps({ events }: WorkflowHistory): WorkflowSteps {
  const [first] = events;
  if (!first) throw new Error('The history has no events.');
  const scheduled = new Map<string, ActivityStep>();
  let timerFiredAtMs: number | undefined;
  for (const event of events) {
    const atMs = epochMs(event.eventTime);
    if (event.timerFiredEventAttributes) timerFiredAtMs = atMs;
    const schedule = event.activityTaskScheduledEventAttributes;
    if (schedule)
      scheduled.set(event.eventId, {
        name: schedule.activityType.name,
        scheduledAtMs: atMs,
        startedAtMs: Number.NaN,
        completedAtMs: Number.NaN,
        attempt: 0,
        timerFiredAtMs,
      });
    const start = event.activityTaskStartedEventAttributes;
    const started = scheduled.get(start?.scheduledEventId ?? '');
    if (started)
      Object.assign(started, { startedAtMs: atMs, attempt: start?.attempt ?? started.attempt });
    const completed = scheduled.get(
      event.activityTaskCompletedEventAttributes?.scheduledEventId ?? '',
    );
    if (completed) completed.completedAtMs = atMs;
  }
  return {
    startedAtMs: epochMs(first.eventTime),
    activities: [...scheduled.values()].filter(({ completedAtMs }) => completedAtMs > 0),
  };
}

/** The last completed activity of a name. */
export function lastStep({ activities }: WorkflowSteps, name: string): ActivityStep {
  const step = activities.findLast((activity) => activity.name === name);
  if (!step) throw new Error(`The workflow has completed no ${name}.`);
  return step;
}

/** RFC 3339 with up to nanoseconds; `Date.parse` cuts what is below a millisecond. */
export function epochMs(time: string): number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  return Math.floor(Date.parse(time) / 1_000) * 1_000 + Number(`0.${fraction || '0'}`) * 1_000;
}
