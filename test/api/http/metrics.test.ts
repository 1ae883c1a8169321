import Koa from 'koa';
import pino from 'pino';
import { answerJson, type ApiContext, type RequestState } from '../../../api/http/context.ts';
import { answerErrors } from '../../../api/http/errors.ts';
import { presentAddresses } from '../../../api/http/present-addresses.ts';
import { createMetrics, type Metrics } from '../../../api/http/metrics.ts';
import type { HandlerDependencies } from '../../../api/dependencies.ts';
import type { Operation } from '../../../api/http/operation.ts';
import { metricsOperation } from '../../../api/service/metrics-routes.ts';
import { AirlineError } from '../../../domain/errors.ts';
import { markFailed, takeTurn } from '../../../models/builds/call-budget.ts';
import { useDatabase } from '../../models/use-database.ts';
import { addBuild, addLanding } from '../../support/rows.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { until } from '../../support/until.ts';
import { useKoa } from '../serve-koa.ts';

const database = useDatabase(3);
const logger = pino({ level: 'silent' });
let metrics: Metrics;
let openStreams = 0;
const make = (own: { rowsTimeoutMs?: number; ofProcess?: boolean } = {}) =>
  createMetrics({
    database: database.now,
    rowsTimeoutMs: 10_000,
    eventStreams: () => openStreams,
    logger,
    ...own,
  });

const operation = (method: Operation['method'], path: string): Operation => ({
  method,
  path,
  summary: '',
  scope: null,
  answers: {},
  errors: [],
  handle: (ctx) => answerJson(ctx, 200, {}),
});
let release: () => void = () => {};
const app = new Koa<RequestState>();
app.use((ctx, next) => metrics.middleware(ctx, next));
app.use(presentAddresses({ hosts: [], refusedPorts: [], storeUrl: '' }));
app.use(answerErrors(5));
app.use(async (ctx) => {
  ctx.state.logger = () => logger;
  if (ctx.path === '/metrics') {
    ctx.state.operation = metricsOperation;
    await metricsOperation.handle(ctx as ApiContext, { metrics } as HandlerDependencies, {});
  } else if (/^\/api\/v1\/ticket\/\w+\/$/.test(ctx.path)) {
    const method = ctx.method === 'PATCH' ? 'patch' : 'get';
    ctx.state.operation = operation(method, '/api/v1/ticket/{id}/');
    if (ctx.path.includes('none')) throw new AirlineError('not_found', 'There is none.');
    if (ctx.path.includes('held')) await new Promise<void>((resolve) => (release = resolve));
    ctx.body = 'done';
  }
});
const server = useKoa(app);

beforeEach(() => {
  metrics = make();
});
afterEach(() => jest.restoreAllMocks());

const get = async (path: string, method = 'GET') => {
  const response = await fetch(server.url + path, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
/** The samples by their name and labels. */
const scrape = async (): Promise<Record<string, number>> => {
  const { status, text } = await get('/metrics');
  expect(status).toBe(200);
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    samples.map((line) => {
      const [, series, value] = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return [series, Number(value)];
    }),
  );
};
const durations = (labels: string) => `airline_http_request_duration_seconds_count{${labels}}`;

describe('/metrics', () => {
  it('counts requests by the path of their operation, whatever its ids are', async () => {
    for (const id of ['1', '2', '3']) await get(`/api/v1/ticket/${id}/`);
    await get('/api/v1/ticket/none/');
    await get('/api/v1/ticket/1/', 'PATCH');
    await get('/etc/passwd');
    await get('/wp-admin', 'PROPFIND');
    const samples = await scrape();
    const route = 'route="/api/v1/ticket/{id}/"';
    expect(samples[durations(`method="GET",${route},status="200"`)]).toBe(3);
    expect(samples[durations(`method="GET",${route},status="404"`)]).toBe(1);
    expect(samples[durations(`method="PATCH",${route},status="200"`)]).toBe(1);
    expect(samples[durations('method="none",route="none",status="404"')]).toBe(2);
    expect(Object.keys(samples).join('\n')).not.toMatch(/passwd|wp-admin|ticket\/1/);
  });

  it('puts the time of a request into buckets', async () => {
    jest.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(1_030);
    await metrics.middleware({ state: {}, status: 200 } as never, async () => {});
    const samples = await scrape();
    const bucket = (le: string) =>
      samples[
        `airline_http_request_duration_seconds_bucket{le="${le}",method="none",route="none",status="200"}`
      ];
    expect([bucket('0.02'), bucket('0.05'), bucket('+Inf')]).toEqual([0, 1, 1]);
    expect(
      samples['airline_http_request_duration_seconds_sum{method="none",route="none",status="200"}'],
    ).toBeCloseTo(0.03);
  });

  it('is in the text format of Prometheus', async () => {
    const { headers, text } = await get('/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('# TYPE airline_http_request_duration_seconds histogram\n');
    expect(text.endsWith('\n')).toBe(true);
  });

  it('has the requests in flight and the streams of events', async () => {
    const held = get('/api/v1/ticket/held/');
    openStreams = 4;
    await until('both to be in flight', async () => {
      return (await scrape())['airline_http_requests_in_flight'] === 2;
    });
    release();
    await held;
    expect(await scrape()).toMatchObject({
      airline_http_requests_in_flight: 1,
      airline_event_streams: 4,
    });
  });

  it('has what the rows say: builds by state, what waits for Temporal, the broker and webhooks', async () => {
    expect(await scrape()).toMatchObject({
      airline_database_read: 1,
      airline_build_dispatch_backlog: 0,
      airline_build_dispatch_oldest_age_seconds: 0,
      airline_build_untaken_oldest_age_seconds: 0,
      airline_progress_events_unpublished: 0,
      airline_webhook_deliveries_pending: 0,
    });
    await database.now.sequelize.query(`
      INSERT INTO ticket (id, owner, title) VALUES (1, 'dev@example.org', 'A fix');
      INSERT INTO build (ticket_id, source_packages, series, ppa, archive, progress_trigger, state, requested_at, dispatched_at, trouble)
      VALUES (1, '[]', 'noble', 'p', 'ubuntu', 'q', 'queued', now() - interval '90 s', NULL, NULL),
             (1, '[]', 'noble', 'p', 'ubuntu', 'q', 'queued', now(), NULL, '{"step": "uploadSource"}'),
             (1, '[]', 'noble', 'p', 'ubuntu', 'q', 'building', now(), now(), '{"step": "workflow"}');
      INSERT INTO build (ticket_id, source_packages, series, ppa, archive, progress_trigger, state, phase, requested_at, finished_at)
      SELECT 1, '[]', 'noble', 'p', 'ubuntu', 'q', 'failed', phase, now(), now() FROM unnest(ARRAY['failed', 'cancelled', 'cancelled']) phase;
      INSERT INTO landing (ticket_id, ppa, archive, series, target, target_series, pocket, packages, parts, phase_since, requested_at, requested_by, created_at, updated_at, finished_at, trouble)
      SELECT 1, 'p', 'ubuntu', 'noble', 'ubuntu', 'noble', 'Release', '[]', '[]', now(), now(), 'ann', now(), now(), finished_at, '{"step": "workflow"}' FROM (VALUES (NULL), (now())) given (finished_at);
      INSERT INTO pool_ppa (ppa, distribution, state, state_since, reason, created_at, updated_at)
      SELECT state || reason, 'ubuntu', state, now(), nullif(reason, ''), now(), now()
      FROM (VALUES ('cleaning', 'its workflow fails'), ('cleaning', ''), ('quarantined', 'not empty')) given (state, reason);
      INSERT INTO webhook (id, url, secret, description, is_active, created_at, created_by)
      SELECT id, 'http://127.0.0.1/', 's', '', true, now(), 'ann' FROM unnest(ARRAY[1, 2]) id;
      INSERT INTO progress_event (build_id, seq, key, body) SELECT id, 1, 'k', '{}' FROM build;
      UPDATE webhook SET is_active = false WHERE id = 2;
      UPDATE webhook_delivery SET state = 'delivered' WHERE id = (SELECT min(id) FROM webhook_delivery WHERE webhook_id = 1)`);
    const samples = await scrape();
    expect(samples).toMatchObject({
      'airline_builds{state="queued"}': 2,
      'airline_builds{state="building"}': 1,
      'airline_builds{state="failed"}': 3,
      'airline_builds_ended{phase="failed"}': 1,
      'airline_builds_ended{phase="cancelled"}': 2,
      airline_build_dispatch_backlog: 2,
      airline_builds_stuck: 1,
      airline_landings_stuck: 1,
      airline_cleanings_stuck: 1,
      airline_progress_events_unpublished: 6,
      airline_webhook_deliveries_pending: 5,
    });
    expect(samples['airline_build_dispatch_oldest_age_seconds']).toBeGreaterThanOrEqual(90);
    expect(samples['airline_build_dispatch_oldest_age_seconds']).toBeLessThan(150);
  });

  it('has how long no worker has taken a build whose workflow was started', async () => {
    const untakenFor = async (phase: string, started: string) => {
      await database.now.sequelize.query(
        `UPDATE build SET phase = '${phase}', dispatched_at = now() - interval '${started}' WHERE state = 'building'`,
      );
      return (await scrape())['airline_build_untaken_oldest_age_seconds'];
    };
    expect(await untakenFor('building', '1 day')).toBe(0);
    const age = await untakenFor('queued', '10 min');
    expect(age).toBeGreaterThanOrEqual(600);
    expect(age).toBeLessThan(660);
  });

  it("has ages by the database's clock alone", async () => {
    fakeDate(Date.now() + 86_400_000);
    try {
      const {
        airline_build_dispatch_oldest_age_seconds: started,
        airline_build_untaken_oldest_age_seconds: taken,
      } = await scrape();
      expect(started).toBeGreaterThanOrEqual(90);
      expect(started).toBeLessThan(150);
      expect(taken).toBeGreaterThanOrEqual(600);
      expect(taken).toBeLessThan(660);
    } finally {
      jest.useRealTimers();
    }
  });

  it('counts the calls of Launchpad, and no count goes back where one fails', async () => {
    const calls = async () =>
      Object.entries(await scrape())
        .filter(([name]) => name.startsWith('airline_launchpad_calls'))
        .map(([, value]) => value);
    const { sequelize } = database.now;
    await takeTurn(sequelize, { perSecond: 20, maxWaitMs: 60_000, callMs: 60_000 });
    const before = await calls();
    await markFailed(sequelize);
    metrics = make();
    const after = await calls();
    expect(after).toHaveLength(2);
    for (const [at, count] of after.entries())
      expect(count).toBeGreaterThanOrEqual(before[at] ?? 0);
  });

  it('has the connections to the database that are busy, idle and awaited', async () => {
    const { sequelize } = database.now;
    const transactions = [await sequelize.transaction(), await sequelize.transaction()];
    const busy = () =>
      scrape().then((samples) => samples['airline_database_connections{state="busy"}']);
    expect(await busy()).toBe(2);
    for (const transaction of transactions) await transaction.rollback();
    expect(await scrape()).toMatchObject({
      'airline_database_connections{state="busy"}': 0,
      'airline_database_connections{state="awaited"}': 0,
    });
  });

  it('is served without the rows when the database fails, and has them again after it', async () => {
    await scrape();
    jest.spyOn(database.now.Build, 'backlog').mockRejectedValueOnce(new Error('away'));
    const without = await scrape();
    expect(without['airline_database_read']).toBe(0);
    expect(Object.keys(without).join('\n')).not.toMatch(/airline_builds|backlog|unpublished/);
    expect(without).toHaveProperty('airline_http_requests_in_flight');
    expect(await scrape()).toMatchObject({
      airline_database_read: 1,
      'airline_builds{state="queued"}': 2,
    });
  });

  it('does not wait for a database that hangs, nor asks it again meanwhile', async () => {
    metrics = make({ rowsTimeoutMs: 50 });
    let answer: (count: number) => void = () => {};
    const unpublished = jest
      .spyOn(database.now.ProgressEvent, 'unpublished')
      .mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    for (const samples of [await scrape(), ...(await Promise.all([scrape(), scrape()]))])
      expect(samples['airline_database_read']).toBe(0);
    expect(unpublished).toHaveBeenCalledTimes(1);
    answer(7);
    await until('the rows to be read', async () => (await scrape())['airline_database_read'] === 1);
  });

  it('tells of the process where asked to, and is the API\u2019s own', async () => {
    await get('/api/v1/ticket/1/');
    const other = make({ ofProcess: true });
    expect(Object.keys(await scrape())).not.toContain('process_cpu_user_seconds_total');
    metrics = other;
    const samples = await scrape();
    expect(samples).toHaveProperty('process_resident_memory_bytes');
    expect(samples).toHaveProperty('nodejs_eventloop_lag_seconds');
    expect(Object.keys(samples).join('\n')).not.toContain('/api/v1/ticket');
  });

  it('has how long a step of a build fails, and how long a landing waits for a tester', async () => {
    const { sequelize, LandingEvent, Landing } = database.now;
    const ages = async () => {
      const samples = await scrape();
      return ['build_trouble', 'landing_untaken'].map(
        (name) => samples[`airline_${name}_oldest_age_seconds`],
      );
    };
    await sequelize.query('UPDATE build SET trouble = NULL');
    expect(await ages()).toEqual([0, 0]);
    const build = await addBuild(database.now);
    const { id: landingId } = await addLanding(database.now);
    const waitsFor = 'a tester that is free';
    await LandingEvent.record({ landingId, attempt: 1, key: 'i', phase: 'imaging', waitsFor });
    await sequelize.query(`
      UPDATE build SET trouble = jsonb_build_object('step', 'checkSources', 'since', now() - interval '1 h')
      WHERE id = ${build.id};
      UPDATE landing_event SET created_at = now() - interval '2 h'`);
    // Temporal still runs it.
    await (await Landing.findByPk(landingId))?.markHeard(null);
    const [failing, untaken] = await ages();
    expect(failing).toBeGreaterThanOrEqual(3_600);
    expect(failing).toBeLessThan(3_660);
    expect(untaken).toBeGreaterThanOrEqual(7_200);
    expect(untaken).toBeLessThan(7_260);
    await LandingEvent.record({ landingId, attempt: 1, key: 't', phase: 'testing' });
    expect(await ages()).toEqual([expect.any(Number), 0]);
    const more = { waitsFor: 'the index of debian to have world 1.1' };
    await LandingEvent.record({ landingId, attempt: 1, key: 'j', phase: 'imaging', ...more });
    await sequelize.query("UPDATE landing_event SET created_at = now() - interval '2 h'");
    expect(await ages()).toEqual([expect.any(Number), 0]);
  });
});
