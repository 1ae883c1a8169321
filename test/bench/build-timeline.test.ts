import { readFileSync } from 'node:fs';
import { buildTimeline, overheadMs, SBUILD } from '../../bench/build-timeline.ts';
import { median } from '../../bench/statistics.ts';
import { lastStep, workflowSteps, type WorkflowHistory } from '../../bench/workflow-steps.ts';

const history = JSON.parse(
  readFileSync('test/histories/completed.json', 'utf8'),
) as WorkflowHistory;

describe('the timeline of a build', () => {
  it('has the times of the activities and of the timers before them', () => {
    const steps = workflowSteps(history);

    expect(steps.activities.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['checkSources', 'uploadSource', 'watchBuilds', 'collectLogs']),
    );
    for (const { scheduledAtMs, startedAtMs, completedAtMs, attempt } of steps.activities) {
      expect(startedAtMs).toBeGreaterThan(scheduledAtMs);
      expect(completedAtMs).toBeGreaterThan(startedAtMs);
      expect(attempt).toBe(1);
    }
    const look = lastStep(steps, 'watchBuilds');
    expect(look.timerFiredAtMs).toBeLessThan(look.scheduledAtMs);
    expect(() => lastStep(steps, 'cancelBuilds')).toThrow('no cancelBuilds');
  });

  it('gives all the time from the POST to the final message to its segments', () => {
    const steps = workflowSteps(history);
    const uploadedAtMs = lastStep(steps, 'uploadSource').completedAtMs;
    const postedAtMs = steps.startedAtMs - 10;
    const receivedAtMs = lastStep(steps, 'collectLogs').completedAtMs + 20;

    const segments = buildTimeline(steps, {
      postedAtMs,
      recordCreatedAtMs: uploadedAtMs + 500,
      sbuildStartedAtMs: uploadedAtMs + 600,
      sbuildEndedAtMs: uploadedAtMs + 30_600,
      recordEndedAtMs: uploadedAtMs + 30_700,
      receivedAtMs,
    });

    const sum = segments.reduce((total, { durationMs }) => total + durationMs, 0);
    expect(sum).toBeCloseTo(receivedAtMs - postedAtMs, 3);
    expect(segments.find(({ name }) => name === SBUILD)?.durationMs).toBeCloseTo(30_000, 3);
    expect(overheadMs(segments)).toBeCloseTo(sum - 30_000, 3);
    expect(segments[0]?.durationMs).toBeCloseTo(10, 3);
  });

  it('gives nothing to the wait for a look that had begun before the build ended', () => {
    const steps = workflowSteps(history);
    const look = lastStep(steps, 'watchBuilds');

    const segments = buildTimeline(steps, {
      postedAtMs: steps.startedAtMs,
      recordCreatedAtMs: look.scheduledAtMs,
      sbuildStartedAtMs: look.scheduledAtMs,
      sbuildEndedAtMs: look.startedAtMs,
      recordEndedAtMs: look.startedAtMs,
      receivedAtMs: lastStep(steps, 'collectLogs').completedAtMs,
    });

    expect(segments.find(({ name }) => name.startsWith('wait'))?.durationMs).toBe(0);
    for (const { durationMs } of segments) expect(durationMs).toBeGreaterThanOrEqual(0);
  });
});

describe('the median', () => {
  it('is the middle value, or the mean of the middle two', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow('no median');
  });
});
