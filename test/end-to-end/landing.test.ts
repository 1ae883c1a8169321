import type { LandingEventBody } from '../../domain/landings/landing.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { until } from '../support/until.ts';
import { BUILT, createLandings, landingScript, type Landing } from '../support/landings.ts';

jest.setTimeout(600_000);
let airline: Airline;

beforeAll(async () => {
  airline = await startAirline({
    script: landingScript(),
    environment: {
      AIRLINE_LANDING_POLL_MS: '100',
      AIRLINE_PPA_POOL: '~airline/debian/pool-1',
    },
  });
});

afterAll(() => airline.stop());

const { submit, land, now, inPhase, decide, building } = createLandings(() => airline);
const approve = (landing: Landing) => decide(landing, 'approve');
const ticketOf = ({ id }: { id: number }) =>
  airline.rest.get<{
    current_workflow_step: string;
    subtickets: { current_workflow_step: string }[];
  }>(`/api/v1/fullticket/${id}/`);
const eventsOf = async ({ resource_uri }: Landing) =>
  (await airline.rest.get<{ objects: LandingEventBody[] }>(`${resource_uri}events/`)).objects;

describe('a ticket that is landed', () => {
  test('is built in order, approved, published in its target, and Complete', async () => {
    const ticket = await submit(
      { name: 'land-tool', buildDepends: ['land-lib'] },
      { name: 'land-lib' },
    );
    const landing = await land(ticket);
    await approve(landing);
    expect(await inPhase(landing, 'complete', 'failed')).toMatchObject({
      phase: 'complete',
      failure: null,
      parts: [
        { source: 'land-tool', state: 'published' },
        { source: 'land-lib', state: 'published' },
      ],
    });
    expect(await ticketOf(ticket)).toMatchObject({
      current_workflow_step: '1000',
      subtickets: [{ current_workflow_step: '1000' }, { current_workflow_step: '1000' }],
    });
    const events = await eventsOf(landing);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ exit }) => exit)).toHaveLength(1);
    // The tool is not even begun before the library is built.
    const begun = events.find(({ parts }) => parts[0]?.state === 'building');
    expect(begun?.parts[1]?.state).toBe('built');
    const url = `${airline.stack.addresses.launchpadUrl}/devel/~airline/+archive/debian/landed`;
    const published = await fetch(`${url}?ws.op=getPublishedSources&status=Published`);
    const { entries } = (await published.json()) as { entries: { source_package_name: string }[] };
    expect(entries.map(({ source_package_name: name }) => name).toSorted()).toEqual([
      'land-lib',
      'land-tool',
    ]);
  });

  test('fails where a build fails; its retry keeps what is built, and lands', async () => {
    const failed = [
      { state: 'Currently building' as const },
      { state: 'Failed to build' as const },
    ];
    airline.play(
      landingScript({ 'half-bad': { builds: { '*': { attempts: [failed, [BUILT]] } } } }),
    );
    const ticket = await submit({ name: 'half-good' }, { name: 'half-bad' });
    const landing = await land(ticket);
    expect(await inPhase(landing, 'failed', 'approving')).toMatchObject({
      phase: 'failed',
      failure: { class: 'build_failed', package: 'half-bad' },
      parts: [{ state: 'built' }, { state: 'failed' }],
    });
    const { parts: before } = await now(landing);
    expect(await ticketOf(ticket)).toMatchObject({
      current_workflow_step: '999',
      subtickets: [{ current_workflow_step: '200' }, { current_workflow_step: '999' }],
    });
    await airline.rest.post(`${landing.resource_uri}retry/`, {});
    await approve(landing);
    const { parts } = await inPhase(landing, 'complete', 'failed');
    expect(parts.map(({ build_id, state }) => [build_id, state])).toEqual(
      before.map(({ build_id }) => [build_id, 'published']),
    );
    const { objects } = await airline.rest.get<{ objects: { attempt: number }[] }>(
      `/api/v1/build/?ticket=${ticket.id}`,
    );
    expect(objects.map(({ attempt }) => attempt).toSorted((one, other) => one - other)).toEqual([
      1, 2,
    ]);
  });

  test('waits for one of the same package that came first, and is refused as older afterwards', async () => {
    const first = await land(await submit({ name: 'shared', version: '2.0' }));
    const second = await land(await submit({ name: 'shared', version: '1.0' }), {
      ppa: 'ppa:airline/other',
    });
    await inPhase(first, 'approving');
    // It may not have looked yet who is in line.
    const isBehind = async () => (await now(second)).ahead.length > 0;
    await until('the second to be behind the first', isBehind, 600_000);
    expect(await now(second)).toMatchObject({
      phase: 'queued',
      ahead: [{ landing_id: first.id }],
    });
    await approve(first);
    await inPhase(first, 'complete');
    await approve(second);
    expect(await inPhase(second, 'failed', 'complete')).toMatchObject({
      failure: {
        class: 'copy_refused',
        message:
          'shared: ~airline/debian/landed bookworm has 2.0, which is newer than 1.0; nothing is published',
      },
    });
  });

  test('that is cancelled stops its build in the PPA and publishes nothing', async () => {
    const endless = [{ state: 'Currently building' as const, durationMs: 600_000 }];
    airline.play(landingScript({ endless: { builds: { '*': endless } } }));
    const ticket = await submit({ name: 'endless' });
    const landing = await land(ticket);
    const build = await building(landing);
    await airline.rest.post(`${landing.resource_uri}cancel/`, {});
    expect(await inPhase(landing, 'cancelled', 'failed')).toMatchObject({ phase: 'cancelled' });
    expect(await airline.build(build)).toMatchObject({ failure: { class: 'cancelled' } });
    expect(await ticketOf(ticket)).toMatchObject({ current_workflow_step: '999' });
  });
});

describe('a PPA of the pool', () => {
  type PoolPpa = { resource_uri: string; state: string; reason: string | null; landing_id: number };
  const poolPpa = async () => {
    const { objects } = await airline.rest.get<{ objects: PoolPpa[] }>('/api/v1/ppapool/');
    return objects[0] as PoolPpa;
  };
  const poolIs = (state: string) =>
    until(`the PPA is ${state}`, async () => (await poolPpa()).state === state, 600_000);
  const ppasOf = async ({ id }: { id: number }) => {
    const path = `/api/v1/ticketppa/?ticket=${id}`;
    const { objects } = await airline.rest.get<{ objects: { ppa: string }[] }>(path);
    return objects.map(({ ppa }) => ppa);
  };
  const leftIn = async (status: string) => {
    const url = `${airline.stack.addresses.launchpadUrl}/devel/~airline/+archive/debian/pool-1`;
    const answer = await fetch(`${url}?ws.op=getPublishedSources&status=${status}`);
    const { entries } = (await answer.json()) as { entries: { source_package_name: string }[] };
    return entries.map(({ source_package_name: name }) => name);
  };
  const fromPool = { ppa: undefined };

  test('is for one landing, then emptied for the next, which waits for it', async () => {
    airline.play(landingScript());
    const ticket = await submit({ name: 'pooled' });
    const first = await land(ticket, fromPool);
    await inPhase(first, 'approving', 'failed');
    expect(await poolPpa()).toMatchObject({ state: 'leased', landing_id: first.id });
    expect(await ppasOf(ticket)).toEqual(['~airline/debian/pool-1']);
    const second = await land(await submit({ name: 'pooled-next' }), fromPool);
    const waiting = await until(
      'the second waits',
      async () => {
        const seen = await now(second);
        return seen.ahead.length > 0 && seen;
      },
      600_000,
    );
    expect(waiting).toMatchObject({
      phase: 'leasing',
      ahead: [{ landing_id: first.id }],
      waits_for: expect.stringContaining(`~airline/debian/pool-1 is held by landing ${first.id}`),
    });
    await approve(first);
    expect(await inPhase(first, 'complete', 'failed')).toMatchObject({ failure: null });
    expect(await inPhase(second, 'approving', 'failed')).toMatchObject({
      ppa: '~airline/debian/pool-1',
      failure: null,
    });
    expect(await leftIn('Deleted')).toEqual(['pooled']);
    expect(await ppasOf(ticket)).toEqual([]);
    await approve(second);
    await inPhase(second, 'complete');
    await poolIs('free');
    expect(await leftIn('Published')).toEqual([]);
  });

  test('that cannot be emptied is quarantined until somebody has it cleaned', async () => {
    airline.play({ ...landingScript(), deletions: { '*': { refused: 'Not today.' } } });
    const landing = await land(await submit({ name: 'sticky' }), fromPool);
    await approve(landing);
    await inPhase(landing, 'complete', 'failed');
    await poolIs('quarantined');
    const { reason, resource_uri: uri } = await poolPpa();
    expect(reason).toBe('sticky 1.0 is not deleted: Not today.');
    airline.play(landingScript());
    await airline.rest.post(`${uri}clean/`, {});
    await poolIs('free');
    expect(await poolPpa()).toMatchObject({ reason: null });
  });
});
