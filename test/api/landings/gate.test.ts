import { landingFailureOf } from '../../../domain/landings/landing-failure.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const query = (text: string) => api.now.database.sequelize.query(text);

it('is told of a landing, and of a ticket by its latest; a ticket without one has none', async () => {
  const ticket = await world.landable('hello');
  expect(await world.get(`ticket/${ticket.id}/gate/`)).toMatchObject({
    status: 404,
    json: { error: `Ticket ${ticket.id} has no landing.` },
  });
  expect((await world.get('landing/999999/gate/')).status).toBe(404);
  const { json: landing } = await world.post(`ticket/${ticket.id}/land/`, {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ppa:airline/landed',
  });
  const gate = await world.get(`landing/${landing.id}/gate/`);
  expect(gate).toMatchObject({
    status: 200,
    json: { landing_id: landing.id, verdict: 'waits', tests: {}, excuses: [] },
  });
  expect((await world.get(`ticket/${ticket.id}/gate/`)).json).toEqual(gate.json);
});

it('is for a ticket that of the landing that was requested last, and a retry is a request', async () => {
  const { id: ticketId } = await world.landable('dash');
  const land = async (target: string) => {
    const { json } = await world.post(`ticket/${ticketId}/land/`, {
      series: 'bookworm',
      archive: 'debian',
      ppa: 'ppa:airline/silo',
      target,
    });
    await api.now.database.LandingEvent.record({
      landingId: json.id,
      attempt: 1,
      key: 'final',
      phase: 'failed',
      failure: landingFailureOf('queue_timed_out', 'queued', 'nobody before it ended'),
    });
    return json.id as number;
  };
  const [first, second] = [await land('ppa:airline/landed'), await land('ubuntu')];
  const ofTicket = async () => (await world.get(`ticket/${ticketId}/gate/`)).json.landing_id;
  expect(await ofTicket()).toBe(second);
  expect((await world.post(`landing/${first}/retry/`)).status).toBe(202);
  expect(await ofTicket()).toBe(first);
  const list = await world.get(`landing/?ticket_id=${ticketId}&order_by=-requested_at`);
  expect(list.json.objects.map(({ id }: { id: number }) => id)).toEqual([first, second]);
});

it('blames a landing that is retried for nothing that failed before', async () => {
  const { id: ticketId } = await world.landable('zsh');
  const { json: landing } = await world.post(`ticket/${ticketId}/land/`, {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ppa:airline/landed',
  });
  const failed = landing.parts.map((part: object) => ({ ...part, state: 'failed' }));
  await api.now.database.LandingEvent.record({
    landingId: landing.id,
    attempt: 1,
    key: '1',
    phase: 'failed',
    parts: failed,
    failure: landingFailureOf('build_failed', 'building', 'no'),
  });
  expect((await world.get(`landing/${landing.id}/gate/`)).json.verdict).toBe('blocked');
  const { json: retried } = await world.post(`landing/${landing.id}/retry/`);
  expect(retried.parts).toEqual(landing.parts);
  expect((await world.get(`landing/${landing.id}/gate/`)).json.verdict).toBe('waits');
});

it('is read of the rows of builds, runs, verdicts and overrides', async () => {
  const { id: ticketId } = await world.landable('mksh');
  const { json: landing } = await world.post(`ticket/${ticketId}/land/`, {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ubuntu',
  });
  const { Image, TestRun, LandingEvent } = api.now.database;
  const image = await Image.create({
    kind: 'base',
    distribution: 'debian',
    series: 'bookworm',
    architecture: 'amd64',
    format: 'tar',
    contentKey: 'gate',
    releases: {},
    sha256: '',
    size: 1,
    url: '',
    manifestUrl: '',
  });
  const run = await TestRun.create({
    landingId: landing.id,
    attempt: 1,
    imageId: image.id,
    source: 'mksh',
    version: '1',
    architecture: 'amd64',
    reason: 'changed',
    why: 'changed',
    files: [],
    state: 'finished',
    logUrl: 'http://127.0.0.1/log',
  });
  const verdict = (test: string, said: string, by: string | null = null) =>
    query(
      `INSERT INTO test_verdict
         (landing_id, attempt, source, architecture, test, verdict, why, run_id, overridden_by)
       VALUES (${landing.id}, 1, 'mksh', 'amd64', '${test}', '${said}', 'So it is.', ${run.id},
         ${by && `'${by}'`})`,
    );
  await verdict('one', 'pass');
  // Ann's word has ended since; Zoe's never counted.
  await verdict('two', 'overridden', 'ann');
  await verdict('three', 'flaky');
  await query(
    `INSERT INTO test_override (source, test, reason, overridden_by, created_at, valid_until)
     VALUES ('mksh', 'two', 'known', 'ann', now() - interval '2 days', now() - interval '1 day'),
            ('mksh', 'two', 'known', 'zoe', now(), now() + interval '1 day')`,
  );
  await query(`UPDATE landing SET tests_verdict = 'passes' WHERE id = ${landing.id}`);
  await LandingEvent.record({ landingId: landing.id, attempt: 1, key: '1', phase: 'approving' });
  const { json: gate } = await world.get(`ticket/${ticketId}/gate/`);
  expect(gate).toMatchObject({
    verdict: 'waits',
    tests: { pass: 1, overridden: 1, flaky: 1 },
    excuses: [
      { test: 'two', verdict: 'overridden', run_id: run.id, log_url: 'http://127.0.0.1/log' },
      { test: 'three', verdict: 'flaky', baseline_run_id: null },
    ],
  });
  expect(gate.criteria).toContainEqual(
    expect.objectContaining({ name: 'tests', state: 'overridden', by: 'ann' }),
  );
});

it('says what the landing waits for', async () => {
  const { id: ticketId } = await world.landable('dash');
  const { json: landing } = await world.post(`ticket/${ticketId}/land/`, {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ppa:airline/landed',
  });
  const waitsFor = 'a PPA of the pool that never had its packages: pool-1 is quarantined';
  const event = {
    landingId: landing.id,
    attempt: 1,
    key: 'waits',
    phase: 'leasing' as const,
    waitsFor,
  };
  await api.now.database.LandingEvent.record(event);
  const { json: gate } = await world.get(`landing/${landing.id}/gate/`);
  expect(gate.criteria).toContainEqual({
    name: 'ppa',
    state: 'waiting',
    why: `It waits for ${waitsFor}.`,
  });
});
