import { callerOf, decisionOf, limitsOf, newsOf } from '../../workflows/signal-arguments.ts';

const MEANINGLESS = [undefined, null, 'x', 3, true, [], {}, [null]];
const DECISION = { decision: 'approve', by: 'ann', comment: 'tried' } as const;
const RECORD = { package: 'hello', buildState: 'Needs building', selfLink: 'http://x/y' };
const NEWS = { phase: 'building', records: [RECORD], published: false };
const LIMITS = { pollInitialMs: 5, pollFactor: 1, pollMaxMs: 5, historyMaxEvents: 2_000 };

describe('what a signal carries', () => {
  test.each(MEANINGLESS)('%p is no decision, no limits and no news', (given) => {
    expect(decisionOf(given)).toBeUndefined();
    expect(limitsOf(given)).toBeUndefined();
    expect(newsOf(given)).toEqual({ ask: true });
  });

  test('is a decision with one of its words, who decides, and why', () => {
    expect(decisionOf(DECISION)).toBe(DECISION);
    expect(decisionOf({ ...DECISION, decision: 'aprove' })).toBeUndefined();
    expect(decisionOf({ decision: 'approve' })).toBeUndefined();
    expect(decisionOf({ ...DECISION, comment: 3 })).toBeUndefined();
  });

  test('is news with records of builds', () => {
    expect(newsOf(NEWS)).toBe(NEWS);
    expect(newsOf({ ask: true })).toEqual({ ask: true });
    for (const records of [null, 'x', [null], [{ ...RECORD, buildState: 3 }]])
      expect(newsOf({ ...NEWS, records })).toEqual({ ask: true });
    expect(newsOf({ records: [RECORD] })).toEqual({ ask: true });
  });

  test('is the limits of a watch with all numbers', () => {
    expect(limitsOf(LIMITS)).toBe(LIMITS);
    expect(limitsOf({ ...LIMITS, pollMaxMs: '5' })).toBeUndefined();
  });

  test('is the name of a caller on one line, and not too long', () => {
    expect(callerOf('ann\nof ops')).toBe('ann of ops');
    expect(callerOf('x'.repeat(1_000))).toHaveLength(300);
    expect(callerOf({})).toBe(callerOf(undefined));
  });
});
