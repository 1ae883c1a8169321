import { readFileSync } from 'node:fs';
import { buildLooks } from '../../../bench/builds/build-looks.ts';
import { spreadOf } from '../../../bench/builds/latency.ts';
import type { WorkflowHistory } from '../../../bench/workflow-steps.ts';

const history = JSON.parse(
  readFileSync('test/histories/completed.json', 'utf8'),
) as WorkflowHistory;

describe('the looks at a build', () => {
  it('have the time at which each was due, and what followed', () => {
    const { events, looks, logsCollectedAtMs, maxAttempts } = buildLooks(history);

    expect(events).toBe(history.events.length);
    expect(maxAttempts).toBe(1);
    expect(looks.length).toBeGreaterThan(1);
    for (const { dueAtMs, firedAtMs, completedAtMs } of looks) {
      expect(firedAtMs).toBeGreaterThanOrEqual(dueAtMs);
      expect(completedAtMs).toBeGreaterThan(firedAtMs);
    }
    expect(logsCollectedAtMs).toBeGreaterThan(looks.at(-1)?.completedAtMs ?? Number.NaN);
  });

  it('say why an activity was tried again', () => {
    const events = history.events.map((event) =>
      event.activityTaskStartedEventAttributes
        ? {
            ...event,
            activityTaskStartedEventAttributes: {
              ...event.activityTaskStartedEventAttributes,
              attempt: 2,
              lastFailure: { message: 'no answer' },
            },
          }
        : event,
    );

    const { maxAttempts, retryReasons } = buildLooks({ events });

    expect(maxAttempts).toBe(2);
    expect(new Set(retryReasons)).toEqual(new Set(['no answer']));
    expect(buildLooks(history).retryReasons).toEqual([]);
  });
});

describe('the spread of durations', () => {
  it('has the middle, the hundredth from the top and the longest', () => {
    const durations = Array.from({ length: 200 }, (_, at) => 200 - at);

    expect(spreadOf(durations)).toEqual({ count: 200, p50Ms: 100, p99Ms: 198, maxMs: 200 });
  });

  it('is none of nothing, and none with a duration that is missing', () => {
    expect(() => spreadOf([])).toThrow('quantile of nothing');
    expect(() => spreadOf([1, Number.NaN])).toThrow('missing');
  });
});
