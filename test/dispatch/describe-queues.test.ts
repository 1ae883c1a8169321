import { markPolling, UNKNOWN_CLOCK } from '../../dispatch/describe-queues.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const poller = (identity: string, secondsAgo: number) => ({
  identity,
  last_access_at: new Date(NOW_MS - secondsAgo * 1_000).toISOString(),
});

it('counts a worker that is frozen or gone as silent, and one whose slots of a queue are taken as polling', () => {
  const marked = markPolling(
    [
      {
        name: 'build-source',
        kind: 'workflow',
        backlog: 0,
        backlog_age_ms: null,
        pollers: [poller('idle', 60), poller('frozen', 120), poller('busy', 2)],
      },
      {
        name: 'transfers',
        kind: 'activity',
        backlog: 0,
        backlog_age_ms: null,
        pollers: [poller('busy', 280), { identity: 'unseen', last_access_at: null }],
      },
    ],
    NOW_MS,
    { ...UNKNOWN_CLOCK },
  );
  const polling = marked.map(({ pollers }) => pollers.map((one) => [one.identity, one.polling]));
  expect(polling).toEqual([
    [
      ['idle', true],
      ['frozen', false],
      ['busy', true],
    ],
    [
      ['busy', true],
      ['unseen', false],
    ],
  ]);
});

describe('a poller', () => {
  /** Looks at pollers that asked last at some seconds, by Temporal's clock. @returns whether each of them polls */
  function observer() {
    const clock = { ...UNKNOWN_CLOCK };
    return (nowS: number, ...polledS: number[]) => {
      const pollers = polledS.map((s, at) => poller(`${at}@vm`, -s));
      const queue = { name: 'build-source', kind: 'workflow', pollers } as const;
      const idle = { backlog: 0, backlog_age_ms: null };
      return markPolling([{ ...queue, ...idle }], NOW_MS + nowS * 1_000, clock).flatMap((marked) =>
        marked.pollers.map(({ polling }) => polling),
      );
    };
  }

  it("polls, as its next poll shows, where our clock is ahead of Temporal's, and one that asks no more is silent", () => {
    const look = observer();
    look(100, -5, -10);
    expect(look(115, 10, -10)).toEqual([true, true]);
    expect(look(130, 25, -10)).toEqual([true, true]);
    expect(look(250, 145, -10)).toEqual([true, false]);
    expect(look(265, 145, -10)).toEqual([true, false]);
    expect(look(380, 145, -10)).toEqual([false, false]);
  });

  it("that asks no more is silent in time, though our clock is behind Temporal's", () => {
    const look = observer();
    expect(look(-100, -20, -5)).toEqual([true, true]);
    expect(look(0, -20, 95)).toEqual([false, true]);
  });

  it("polls where Temporal's clock was ahead and is right again, however seldom one looks", () => {
    const look = observer();
    expect(look(0, 195)).toEqual([true]);
    expect(look(60, 255)).toEqual([true]);
    expect(look(120, 110)).toEqual([true]);
    expect(look(180, 170)).toEqual([true]);
  });

  it('that asks no more is silent in time where the clocks agree, however often one looks', () => {
    const look = observer();
    for (const s of [0, 20, 40, 60, 80]) look(s, -1, s - 15);
    expect(look(88, -1, 85)).toEqual([true, true]);
    expect(look(90, -1, 85)).toEqual([false, true]);
  });
});
