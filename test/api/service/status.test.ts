import { failureOf } from '../../../domain/builds/failure.ts';
import { createFileStore } from '../../../store/file.ts';
import { createTestDatabase } from '../../support/database.ts';
import { addBuild, addLanding, report } from '../../support/rows.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { addPastBuild, addPastTicket, type SeededBuild } from '../../web/seed.ts';
import { createGate } from '../gate.ts';
import { serveApi } from '../serve.ts';

const broken = async () => {
  throw new Error('no broker');
};
const silent = () => new Promise<never>(() => {});
const limits = {
  bodyMaxBytes: 1_000,
  storeMaxBytes: 1_000,
  probeTimeoutMs: 10_000,
  retryAfterS: 7,
  streams: { heartbeatMs: 1_000, pollMs: 1_000, max: 1 },
};

describe('the status', () => {
  it('tells of queues, builds, outboxes and the health of each part', async () => {
    const queue = {
      name: 'build-source',
      kind: 'workflow' as const,
      pollers: [],
      backlog: 3,
      backlog_age_ms: 4_000,
    };
    const api = await serveApi({ describeQueues: async () => [queue] });
    try {
      const ended = await addBuild(api.database);
      const { ticketId } = ended;
      const oldest = await addBuild(api.database, { ticketId });
      const latest = await addBuild(api.database, { ticketId });
      await report(api.database, ended, 'COMPLETE');
      for (const failure of ['build_failed', 'cancelled', 'cancelled'] as const)
        await report(api.database, await addBuild(api.database, { ticketId }), 'FAILURE', {
          failure: failureOf(failure, 'for a reason'),
        });
      const { id: landingId } = await addLanding(api.database, { isQueueNamed: true });
      const of = { landingId, attempt: 1, key: 'queued', phase: 'queued' as const };
      await api.database.LandingEvent.record(of);
      const answer = await api.call('GET', '/api/v1/status');
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({
        worker_queues: [{ ...queue, busy: true }],
        builds: { queued: 2, completed: 1, failed: 3 },
        ended: { completed: 1, failed: 1, cancelled: 2 },
        dispatch: { backlog: 2, oldest_age_ms: expect.any(Number) },
        overdue: {
          build_step_failing_ms: null,
          tester_wait_ms: null,
          event_wait_ms: expect.any(Number),
          ppa_unwatched_ms: null,
          webhook_behind_ms: null,
          stuck_landings: 0,
          stuck_cleanings: 0,
        },
        unpublished_events: 11,
        waiting_total: 2,
        waiting: [
          {
            build: `/api/v1/build/${oldest.id}/`,
            state: 'queued',
            since: expect.any(String),
            why: 'its workflow is about to be started',
          },
          { build: `/api/v1/build/${latest.id}/` },
        ],
        health: {
          database: { healthy: true, latency_ms: expect.any(Number) },
          temporal: { healthy: true },
          broker: { healthy: true },
          store: { healthy: true },
        },
      });
      expect((await api.call('GET', '/readyz')).status).toBe(200);
    } finally {
      await api.close();
    }
  });

  it("tells ages by the database's clock alone, and none below zero", async () => {
    const api = await serveApi();
    const ages = async () => {
      const { dispatch, launchpad } = (await api.call('GET', '/api/v1/status')).json;
      return [dispatch.oldest_age_ms, launchpad.oldest_round_age_ms];
    };
    try {
      const { id } = await addBuild(api.database);
      await api.database.sequelize.query(`
        INSERT INTO ppa_watch (ppa, round_at) VALUES ('~airline/debian/demo', clock_timestamp());
        INSERT INTO watched_build (build_id, attempt, workflow_id, ppa, request, uploaded_at, joined_at, accepted, records, active_states)
        VALUES (${id}, 1, 'w', '~airline/debian/demo', '{}', now(), now(), false, '[]', '{}')`);
      fakeDate(Date.now() + 86_400_000);
      for (const age of await ages()) expect(age).toBeLessThan(60_000);
      fakeDate(Date.now() - 2 * 86_400_000);
      for (const age of await ages()) expect(age).toBeGreaterThanOrEqual(0);
      await api.database.sequelize.query(
        "UPDATE build SET requested_at = clock_timestamp() + interval '1 h'",
      );
      expect((await ages())[0]).toBe(0);
    } finally {
      jest.useRealTimers();
      await api.close();
    }
  });

  it('tells of a PPA that no watch has polled for longer than builds wait, and of a webhook that is behind', async () => {
    const HOUR_MS = 3_600_000;
    const api = await serveApi({ unwatchedMs: HOUR_MS });
    const { sequelize } = api.database;
    const overdue = async () => {
      const { ppa_unwatched_ms: ppaMs, webhook_behind_ms: webhookMs } = (
        await api.call('GET', '/api/v1/status')
      ).json.overdue;
      return [ppaMs, webhookMs].map((ms) => ms && Math.floor(ms / HOUR_MS));
    };
    const watch = (age: string) =>
      sequelize.query(`UPDATE ppa_watch SET round_at = clock_timestamp() - interval '${age}'`);
    try {
      await sequelize.query(`
        INSERT INTO webhook (id, url, secret, is_active, failing_since, created_at, created_by)
        SELECT id, 'http://127.0.0.1/', 's', id < 4, now() - since, now(), 'ann'
        FROM (VALUES (1, NULL), (2, interval '3 h'), (3, interval '8 h'), (4, interval '9 h')) given (id, since)`);
      const build = await addBuild(api.database);
      await sequelize.query(`
        INSERT INTO ppa_watch (ppa, round_at) VALUES ('~airline/debian/demo', now());
        INSERT INTO watched_build (build_id, attempt, workflow_id, ppa, request, uploaded_at, joined_at, accepted, records, active_states)
        VALUES (${build.id}, 1, 'w', '~airline/debian/demo', '{}', now() - interval '9 h', now(), false, '[]', '{}');
        DELETE FROM webhook_delivery WHERE webhook_id = 3`);
      await watch('59 min');
      expect(await overdue()).toEqual([null, 3]);
      await watch('125 min');
      // What fails is tried later each time; what is slow is due all the while.
      await sequelize.query(
        `UPDATE webhook_delivery SET requested_at = now() - interval '5 h',
           next_try_at = now() + CASE webhook_id WHEN 1 THEN -interval '5 h' ELSE interval '1 h' END`,
      );
      expect(await overdue()).toEqual([2, 5]);
      // One that is off is sent nothing: what it has waits since it was switched on.
      await sequelize.query(`
        DELETE FROM webhook_delivery;
        INSERT INTO webhook_delivery (webhook_id, requested_at, next_try_at)
        VALUES (4, now() - interval '6 h', now() + interval '1 h')`);
      await api.call('PATCH', '/api/v1/webhook/4/', { is_active: true });
      expect(await overdue()).toEqual([2, 0]);
      await sequelize.query(`
        UPDATE webhook_delivery SET requested_at = requested_at - interval '4 h',
          next_try_at = next_try_at - interval '4 h'`);
      expect(await overdue()).toEqual([2, 4]);
      await sequelize.query('DELETE FROM webhook_delivery');
      expect(await overdue()).toEqual([2, null]);
    } finally {
      await api.close();
    }
  });

  it('tells of the workers, of their slots by queue, and of what bounds the calls of the PPA', async () => {
    const queue = { name: 'build-source', kind: 'activity' as const, pollers: [] };
    const worker = (identity: string, used: number, more: object = {}) => ({
      identity,
      host: 'vm',
      version: '1.2.3',
      state: 'running' as const,
      started_at: null,
      reported_at: null,
      reporting: true,
      slots: [
        { queue: queue.name, kind: queue.kind, used, total: 50, processed: 100, failed: 1 },
        { queue: 'other', kind: queue.kind, used: 5, total: 5, processed: 0, failed: 0 },
      ],
      ...more,
    });
    const workers = [
      worker('busy', 50),
      worker('idle', 0),
      worker('silent', 9, { reporting: false }),
      worker('gone', 9, { state: 'stopped' }),
    ];
    const api = await serveApi({
      describeQueues: async () => [
        { ...queue, backlog: 3, backlog_age_ms: 4_000 },
        { ...queue, name: 'nobody', backlog: 0, backlog_age_ms: null },
      ],
      describeWorkers: async () => workers,
      launchpadCallsPerSecond: 20,
    });
    try {
      await api.database.sequelize.query(
        'UPDATE call_budget SET tokens = -1_199, refilled_at = clock_timestamp()',
      );
      const { json } = await api.call('GET', '/api/v1/status/workers/');
      expect(json).toEqual({
        workers,
        launchpad: { calls_per_second: 20, wait_ms: expect.any(Number) },
      });
      // A call that comes 1,199 after its time waits for 60 s, less what has passed since.
      expect(json.launchpad.wait_ms).toBeGreaterThan(0);
      expect(json.launchpad.wait_ms).toBeLessThanOrEqual(60_000);
      const { worker_queues: queues } = (await api.call('GET', '/api/v1/status')).json;
      expect(queues).toMatchObject([
        { backlog_age_ms: 4_000, slots: { used: 50, total: 100 } },
        { backlog_age_ms: null, slots: null },
      ]);
    } finally {
      await api.close();
    }
  });

  it('says that Temporal does not tell of the workers, in limited time', async () => {
    const api = await serveApi({ describeWorkers: silent, limits });
    try {
      expect((await api.call('GET', '/api/v1/status/workers/')).json).toMatchObject({
        workers: null,
        workers_error: 'no answer within 10000 ms',
        launchpad: { wait_ms: 0 },
      });
      expect((await api.call('GET', '/api/v1/status')).json.worker_queues).toEqual([]);
    } finally {
      await api.close();
    }
  });

  it('names failing steps first, then the longest waits, says how many wait, and in which state', async () => {
    const api = await serveApi({ describeQueues: async () => [] });
    try {
      const { sequelize } = api.database;
      const nowMs = Date.now();
      const ticketId = await addPastTicket(
        sequelize,
        { owner: 'ann@example.com', title: 't', madeMinutesAgo: 600 },
        nowMs,
      );
      const add = (name: string, requestedMinutesAgo: number, more: Partial<SeededBuild> = {}) =>
        addPastBuild(
          sequelize,
          { ticketId, name, version: '1', requestedMinutesAgo, moments: [], ...more },
          nowMs,
        );
      for (let index = 0; index < 19; index++)
        await add('queued', 60 + index, { isUndispatched: true });
      const blocked = await add('blocked', 100, { moments: [[1, { amd64: 'Dependency wait' }]] });
      const cancelling = await add('cancelling', 90, { isUndispatched: true, cancelledBy: 'ann' });
      // Requested first of all, it got on until a minute ago: the shortest wait of all.
      const trouble = { step: 'upload', message: 'refused', tries: 2, sinceMinutesAgo: 1 };
      const troubled = await add('troubled', 300, { trouble });
      await add('building', 500, { moments: [[1, { amd64: 'Currently building' }]] });
      const builder = await add('builder', 80, { moments: [[1, { amd64: 'Needs building' }]] });

      const { waiting, waiting_total: total } = (await api.call('GET', '/api/v1/status')).json;
      expect(total).toBe(23);
      expect(waiting).toHaveLength(20);
      expect(waiting.slice(0, 4)).toMatchObject([
        { build: `/api/v1/build/${troubled}/` },
        {
          build: `/api/v1/build/${blocked}/`,
          state: 'building',
          phase: 'dependency_wait',
          cancel_requested_at: null,
          builds: [{ architecture: 'amd64', state: 'dependency_wait' }],
        },
        {
          build: `/api/v1/build/${cancelling}/`,
          state: 'queued',
          cancel_requested_at: expect.any(String),
          builds: [],
        },
        {
          build: `/api/v1/build/${builder}/`,
          phase: 'waiting_for_builder',
          why: 'no builder of the PPA has taken it yet',
        },
      ]);
      const since = waiting.slice(1).map((one: { since: string }) => one.since);
      expect(since).toEqual(since.toSorted());
    } finally {
      await api.close();
    }
  });

  it('calls a queue busy while tasks wait, or its workers have some, whatever builds are under way', async () => {
    const queue = (name: string, backlog: number) => ({
      name,
      kind: 'activity' as const,
      pollers: [{ identity: 'one', last_access_at: null, polling: true }],
      backlog,
      backlog_age_ms: null,
    });
    const slotsOf = (name: string, used: number) => ({
      queue: name,
      kind: 'activity' as const,
      used,
      total: 5,
      processed: 0,
      failed: 0,
    });
    const api = await serveApi({
      describeQueues: async () => [queue('taken', 0), queue('waiting', 1), queue('free', 0)],
      describeWorkers: async () => [
        {
          identity: 'one',
          host: 'vm',
          version: '1.2.3',
          state: 'running',
          started_at: null,
          reported_at: null,
          reporting: true,
          slots: [slotsOf('taken', 1), slotsOf('waiting', 0), slotsOf('free', 0)],
        },
      ],
    });
    try {
      const busy = async () => {
        const { json } = await api.call('GET', '/api/v1/status');
        return json.worker_queues.map((one: { busy: boolean }) => one.busy);
      };
      expect(await busy()).toEqual([true, true, false]);
      // It waits for a builder of its PPA, say, which keeps no worker busy.
      await report(api.database, await addBuild(api.database), 'STARTED');
      expect(await busy()).toEqual([true, true, false]);
    } finally {
      await api.close();
    }
  });

  it('goes by the builds that have not ended where no worker reports what it has', async () => {
    const queue = (backlog: number, identity?: string) => ({
      name: 'build-source',
      kind: 'activity' as const,
      pollers: identity === undefined ? [] : [{ identity, last_access_at: null, polling: true }],
      backlog,
      backlog_age_ms: null,
    });
    const api = await serveApi({
      describeQueues: async () => [queue(0, 'one'), queue(1, 'one'), queue(0)],
    });
    try {
      const busy = async () =>
        (await api.call('GET', '/api/v1/status')).json.worker_queues.map(
          (one: { busy: boolean }) => one.busy,
        );
      const build = await addBuild(api.database);
      expect(await busy()).toEqual([false, true, false]);
      await report(api.database, build, 'STARTED');
      expect(await busy()).toEqual([true, true, false]);
      await report(api.database, build, 'COMPLETE');
      expect(await busy()).toEqual([false, true, false]);
    } finally {
      await api.close();
    }
  });

  it('names the part that is away, and waits for none', async () => {
    const api = await serveApi({
      limits,
      describeQueues: silent,
      probes: { database: async () => {}, temporal: silent, broker: broken, store: async () => {} },
    });
    try {
      const ready = await api.call('GET', '/readyz');
      expect(ready.status).toBe(503);
      expect(ready.json.health).toMatchObject({
        database: { healthy: true },
        temporal: { healthy: false, error: 'no answer within 10000 ms' },
        broker: { healthy: false, error: 'no broker' },
      });
      const status = await api.call('GET', '/api/v1/status/');
      expect(status.status).toBe(200);
      expect(status.json).toMatchObject({
        worker_queues: null,
        worker_queues_error: 'no answer within 10000 ms',
        builds: {},
      });
      expect((await api.call('GET', '/healthz')).json).toEqual({ healthy: true });
    } finally {
      await api.close();
    }
  });
});

describe('whether the API is ready', () => {
  it('is told to strangers without what went wrong, which the status says', async () => {
    const api = await serveApi({
      authentication: 'token',
      probes: {
        database: async () => {},
        temporal: async () => {},
        broker: broken,
        store: async () => {},
      },
    });
    try {
      const ready = await api.call('GET', '/readyz');
      expect(ready).toMatchObject({
        status: 503,
        json: { health: { broker: { healthy: false } } },
      });
      expect(ready.text).not.toContain('no broker');
    } finally {
      await api.close();
    }
  });

  it('is no longer so when it stops, while it still takes requests', async () => {
    const api = await serveApi({});
    try {
      expect((await api.call('GET', '/readyz')).status).toBe(200);
      api.stop.abort();
      expect(await api.call('GET', '/readyz')).toMatchObject({
        status: 503,
        json: { ready: false },
      });
      expect((await api.call('GET', '/api/v1/ticket/')).status).toBe(200);
    } finally {
      await api.close();
    }
  });
});

describe('without a database', () => {
  it('requests are 503 with Retry-After, and the process lives', async () => {
    const databaseUrl = 'postgres://nobody:secret@127.0.0.1:1/none';
    const api = await serveApi({ databaseUrl, limits });
    try {
      for (const [method, path, body] of [
        ['GET', '/api/v1/ticket/', undefined],
        ['POST', '/api/v1/ticket/', { owner: 'a@b', title: 't' }],
        ['GET', '/api/v1/build/1/', undefined],
      ] as const) {
        const answer = await api.call(method, path, body);
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('7');
        expect(answer.json).toMatchObject({ code: 'database_unavailable' });
        expect(answer.text).not.toContain('secret');
      }
      expect((await api.call('GET', '/api/v1/status')).json).toMatchObject({
        builds: null,
        ended: null,
        waiting: null,
        waiting_total: null,
      });
      expect((await api.call('GET', '/healthz')).status).toBe(200);
    } finally {
      await api.close();
    }
  });
});

describe('a database that goes down and comes back', () => {
  it('is answered 503 meanwhile, and works again without a restart', async () => {
    const { url: target, drop } = await createTestDatabase();
    const gate = await createGate(new URL(target).host);
    const through = new URL(target);
    through.host = gate.address;
    const api = await serveApi({ databaseUrl: through.href, limits });
    try {
      const post = () => api.call('POST', '/api/v1/ticket/', { owner: 'a@b', title: 't' });
      expect((await post()).status).toBe(201);
      await gate.shut();
      const down = await Promise.all([post(), post(), post(), post()]);
      expect(down.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      await gate.open();
      expect((await post()).status).toBe(201);
    } finally {
      await api.close();
      await gate.close();
      await drop();
    }
  });
});

describe('a fault of our own', () => {
  it('is answered 500 with the canned body and no detail of it', async () => {
    const api = await serveApi({
      describeQueues: async () => [],
      store: {
        ...createFileStore({ directory: '/nowhere', baseUrl: 'http://127.0.0.1/store/' }),
        get: async () => {
          throw new Error('secret detail');
        },
      },
    });
    try {
      const answer = await api.call('GET', '/store/uploads/x');
      expect(answer.status).toBe(500);
      expect(answer.json).toMatchObject({
        error_message: 'Sorry, this request could not be processed. Please try again later.',
        code: 'internal',
        hint: expect.any(String),
      });
      expect(answer.text).not.toContain('secret');
    } finally {
      await api.close();
    }
  });
});
