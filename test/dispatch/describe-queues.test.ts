import { markPolling } from '../../dispatch/describe-queues.ts';

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
