import { readFileSync } from 'node:fs';
import { lastStep, workflowSteps, type WorkflowHistory } from '../../bench/workflow-steps.ts';

const history = JSON.parse(
  readFileSync('test/histories/completed.json', 'utf8'),
) as WorkflowHistory;

describe('the steps of a workflow', () => {
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
});
