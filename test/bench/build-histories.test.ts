import { readFileSync } from 'node:fs';
import { activitySteps, type WorkflowHistory } from '../../bench/build-histories.ts';

const history = JSON.parse(
  readFileSync('test/histories/completed.json', 'utf8'),
) as WorkflowHistory;

describe('the steps of a build', () => {
  it('have the times of the activities', () => {
    const steps = activitySteps(history);

    expect(steps.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['checkSources', 'uploadSource', 'collectLogs']),
    );
    for (const { startedAtMs, completedAtMs, attempt } of steps) {
      expect(completedAtMs).toBeGreaterThan(startedAtMs);
      expect(attempt).toBe(1);
    }
  });

  it('have the number of the try that completed', () => {
    const events = history.events.map((event) =>
      event.activityTaskStartedEventAttributes
        ? {
            ...event,
            activityTaskStartedEventAttributes: {
              ...event.activityTaskStartedEventAttributes,
              attempt: 2,
            },
          }
        : event,
    );

    expect(new Set(activitySteps({ events }).map(({ attempt }) => attempt))).toEqual(new Set([2]));
  });
});
