import { readFileSync } from 'node:fs';
import { activitySteps, type WorkflowHistory } from '../../bench/build-histories.ts';

const history = JSON.parse(
  readFileSync('test/histories/completed.json', 'utf8'),
) as WorkflowHistory;

describe('the steps of a build', () => {
  it('have the times of the activities, and when the timer before each was due', () => {
    const steps = activitySteps(history);

    expect(steps.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['checkSources', 'uploadSource', 'watchBuilds', 'collectLogs']),
    );
    for (const { startedAtMs, completedAtMs, attempt } of steps) {
      expect(completedAtMs).toBeGreaterThan(startedAtMs);
      expect(attempt).toBe(1);
    }
    const looks = steps.filter(({ name }) => name === 'watchBuilds');
    expect(looks.length).toBeGreaterThan(1);
    for (const { dueAtMs, startedAtMs } of looks) expect(startedAtMs).toBeGreaterThan(dueAtMs);
    expect(steps[0]?.dueAtMs).toBeNaN();
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
