import { epochMs, workflowSteps, type WorkflowHistory } from '../workflow-steps.ts';

/** One look at the PPA, in milliseconds since the epoch. */
export type Look = {
  /** When its timer was to fire, by the workflow. */
  dueAtMs: number;
  firedAtMs: number;
  completedAtMs: number;
  attempt: number;
};

/** What is measured of one build's history. */
export type BuildLooks = {
  events: number;
  /** In their order; the last one has seen the end of the build. */
  looks: Look[];
  logsCollectedAtMs: number;
  /** Most tries that an activity of the build has taken, and why each last try but one had failed. */
  maxAttempts: number;
  retryReasons: string[];
};

/** Reads when a build was looked at; of a history whose looks each follow a timer. */
export function buildLooks(history: WorkflowHistory): BuildLooks {
  const dueAt = new Map<number, number>();
  let dueAtMs = Number.NaN;
  for (const event of history.events) {
    const { startToFireTimeout } = event.timerStartedEventAttributes ?? {};
    if (startToFireTimeout !== undefined)
      dueAtMs = epochMs(event.eventTime) + seconds(startToFireTimeout) * 1_000;
    if (event.timerFiredEventAttributes) dueAt.set(epochMs(event.eventTime), dueAtMs);
  }
  const { activities } = workflowSteps(history);
  const looks = activities
    .filter(({ name }) => name === 'watchBuilds')
    .map(({ timerFiredAtMs = Number.NaN, completedAtMs, attempt }) => ({
      dueAtMs: dueAt.get(timerFiredAtMs) ?? Number.NaN,
      firedAtMs: timerFiredAtMs,
      completedAtMs,
      attempt,
    }));
  return {
    events: history.events.length,
    looks,
    logsCollectedAtMs:
      activities.find(({ name }) => name === 'collectLogs')?.completedAtMs ?? Number.NaN,
    maxAttempts: Math.max(0, ...activities.map(({ attempt }) => attempt)),
    retryReasons: history.events.flatMap(
      ({ activityTaskStartedEventAttributes: started }) => started?.lastFailure?.message ?? [],
    ),
  };
}

/** A duration of protobuf's JSON form, such as `2.500s`. */
function seconds(duration: string): number {
  return Number(duration.replace(/s$/, ''));
}
