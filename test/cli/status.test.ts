import type { Status } from '../../api/openapi/contract.generated.ts';
import { NOTHING_OVERDUE } from '../support/nothing-overdue.ts';
import { call } from './call.ts';

const NOW = '2026-01-01T00:00:00.000Z';

const launchpad: Status['launchpad'] = {
  calls: 5,
  failed_calls: 3,
  left_alone_until: null,
  watched_builds: 0,
  watched_ppas: 0,
  oldest_round_age_ms: null,
};

/** What a service says of itself that has nothing to do. */
const idle: Status = {
  health: {
    database: { healthy: true, latency_ms: 1 },
    temporal: { healthy: true, latency_ms: 1 },
    broker: { healthy: true, latency_ms: 1 },
    store: { healthy: true, latency_ms: 1 },
  },
  worker_queues: [],
  builds: {},
  under_way: {},
  ended: { completed: 0, failed: 0, cancelled: 0 },
  dispatch: { backlog: 0, oldest_age_ms: null },
  overdue: NOTHING_OVERDUE,
  unpublished_events: 0,
  launchpad,
  waiting: [],
  waiting_total: 0,
};

const shown = async (status: Status) => {
  const { stdout } = await call(['status'], {
    now: () => new Date(NOW),
    fetch: async () => Response.json(status),
  });
  return stdout;
};

describe('airline status', () => {
  it('says until when no worker calls the PPA', async () => {
    const paused = { ...launchpad, left_alone_until: '2026-01-01T00:04:30.000Z' };
    expect(await shown({ ...idle, launchpad: paused })).toContain(
      'No worker calls the PPA until 00:04:30Z, in 4 min: it did not answer, or asked for a pause.\n',
    );
  });

  it.each([
    ['calls it', idle],
    ['cannot say, as it does not reach its database', { ...idle, launchpad: null }],
  ])('says nothing of a pause where the service %s', async (_, status) => {
    expect(await shown(status)).not.toContain('calls the PPA');
  });

  it('says that builds are unknown while the database does not answer, and none where there are none', async () => {
    const unknown = await shown({ ...idle, builds: null, under_way: null, ended: null });
    expect(unknown).toContain('Builds are unknown: the database does not answer.\n');
    expect(unknown).not.toContain('Builds: none');
    expect(await shown(idle)).toContain('Builds: none\n');
  });

  it.each([
    [99_999, 'To be published: 99999 events\n'],
    [100_000, 'To be published: 100000 events or more\n'],
  ])('says how many events wait, where those that are counted are %s', async (events, line) => {
    expect(await shown({ ...idle, unpublished_events: events })).toContain(line);
  });

  it('tells of what goes on for long without getting on', async () => {
    const late = {
      ...NOTHING_OVERDUE,
      build_step_failing_ms: 7_200_000,
      tester_wait_ms: 5_400_000,
    };
    const said = await shown({ ...idle, overdue: late });
    expect(said).toContain('A step of a build has failed for 2 h: see what waits, below.\n');
    expect(said).toContain('A landing has waited 1 h 30 min for a tester: start one.\n');
    const unheard = { ...NOTHING_OVERDUE, ppa_unwatched_ms: 180_001, webhook_behind_ms: 3_600_000 };
    const unwatched = await shown({ ...idle, overdue: unheard });
    expect(unwatched).toContain(
      'No watch has polled a PPA for 3 min, and its builds poll it one by one',
    );
    expect(unwatched).not.toContain('webhook');
    expect(await shown(idle)).not.toMatch(/has failed|has waited|cannot get on|has polled/);
  });
});
