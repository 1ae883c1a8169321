import { count, type BuildTally } from '../../../bench/builds/progress-tally.ts';

const AT = 1_000;
const started = { seq: 1, message: 'STARTED' } as const;
const status = { seq: 2, message: 'INPROGRESS' } as const;
const complete = { seq: 3, message: 'COMPLETE' } as const;
const tallyOf = (...messages: Parameters<typeof count>[1][]) =>
  messages.reduce<BuildTally | undefined>(
    (tally, one, at) => count(tally, one, AT + at),
    undefined,
  );

describe('the tally of a build', () => {
  it('has its messages, its end and when that came', () => {
    expect(tallyOf(started, status, complete)).toEqual({
      messages: 3,
      finals: 1,
      isOutOfOrder: false,
      receivedAtMs: AT + 2,
      failure: undefined,
    });
  });

  it('names the failure', () => {
    const failure = {
      class: 'timed_out',
      message: 'too long',
      retryable: true,
      hint: 'try again',
    } as const;

    expect(tallyOf(started, { seq: 2, message: 'FAILURE', failure })).toMatchObject({
      failure: 'timed_out: too long',
    });
  });

  it.each([
    ['a gap', [started, complete]],
    ['a change of order', [status, started]],
    ['a repetition', [started, started]],
    ['a message after the final one', [started, { ...complete, seq: 2 }, { ...status, seq: 3 }]],
  ])('tells of %s', (_, messages) => {
    expect(tallyOf(...messages)?.isOutOfOrder).toBe(true);
  });

  it('keeps the time of the first of two final messages', () => {
    expect(tallyOf(started, { ...complete, seq: 2 }, complete)).toMatchObject({
      finals: 2,
      receivedAtMs: AT + 1,
    });
  });
});
