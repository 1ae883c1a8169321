import { randomInt } from 'node:crypto';
import { landingFailureOf } from '../../../domain/landings/landing-failure.ts';
import type { LandingReport } from '../../../domain/landings/landing.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const { get, post } = world;
let reports = 0;

async function land(source: string): Promise<{ id: number }> {
  const { id } = await world.landable(source);
  const place = {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ubuntu',
  };
  const { json } = await post(`ticket/${id}/land/`, place);
  await api.now.database.Landing.update({ dispatchedAt: new Date() }, { where: { id: json.id } });
  return json as { id: number };
}
const report = ({ id }: { id: number }, more: Partial<LandingReport>) =>
  api.now.database.LandingEvent.record({
    landingId: id,
    attempt: 1,
    key: `${(reports += 1)}`,
    phase: 'testing',
    ...more,
  });
/** The landings that the dispatcher would tell something. */
const undelivered = async () =>
  (await api.now.database.Landing.withUndelivered(100)).map(({ id }) => id);

describe('a landing', () => {
  it('is paused and resumed, each of which its workflow is told; its events say so', async () => {
    const landing = await land('hello');
    const paused = await post(`landing/${landing.id}/pause/`);
    expect(paused).toMatchObject({
      status: 202,
      json: { paused_by: expect.any(String), paused_at: expect.any(String) },
    });
    expect(await undelivered()).toContain(landing.id);
    const row = await api.now.database.Landing.findByPk(landing.id, { rejectOnEmpty: true });
    await row.markWoken();
    expect(await undelivered()).not.toContain(landing.id);
    expect(await post(`landing/${landing.id}/pause/`)).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    });
    expect(await report(landing, {})).toMatchObject({ paused_by: paused.json.paused_by });
    // It was paused before it heard of it: it is not published.
    expect(await report(landing, { phase: 'publishing' })).toBeNull();
    expect(await post(`landing/${landing.id}/resume/`)).toMatchObject({
      status: 202,
      json: { paused_by: null, paused_at: null },
    });
    expect(await undelivered()).toContain(landing.id);
    expect((await post(`landing/${landing.id}/resume/`)).status).toBe(409);
    expect(await report(landing, { phase: 'publishing' })).toMatchObject({ phase: 'publishing' });
    expect((await post(`landing/${landing.id}/pause/`)).status).toBe(409);
    expect((await post('landing/999999/pause/')).status).toBe(404);
  });

  it('that ends while it is paused is paused no longer; its events keep who had paused it', async () => {
    const landing = await land('oksh');
    const paused = await post(`landing/${landing.id}/pause/`);
    await report(landing, {});
    const failure = landingFailureOf('pause_timed_out', 'testing', 'nobody resumed it');
    await report(landing, { phase: 'failed', failure });
    expect((await get(`landing/${landing.id}/`)).json).toMatchObject({
      phase: 'failed',
      paused_by: null,
      paused_at: null,
    });
    const { verdict, criteria } = (await get(`landing/${landing.id}/gate/`)).json;
    expect(verdict).toBe('blocked');
    expect(criteria.filter(({ name }: { name: string }) => name === 'pause')).toMatchObject([
      { state: 'not_met' },
    ]);
    expect((await get(`landing/${landing.id}/events/`)).json.objects).toMatchObject([
      { phase: 'testing', paused_by: paused.json.paused_by },
      { phase: 'failed', exit: true },
    ]);
  });

  it('tells how its tests stand, and has a decision no longer once it is tested again', async () => {
    const landing = await land('ed');
    const tests = {
      planned: 2,
      finished: 2,
      left: 1,
      verdict: 'needs_approval',
      verdicts: { pass: 3 },
    } as const;
    expect(await report(landing, { tests })).toMatchObject({ tests });
    await report(landing, { phase: 'approving' });
    await post(`landing/${landing.id}/decide/`, { decision: 'approve', comment: 'fine' });
    expect((await get(`landing/${landing.id}/`)).json).toMatchObject({
      tests,
      decision: { decision: 'approve' },
    });
    await report(landing, { phase: 'imaging' });
    expect((await get(`landing/${landing.id}/`)).json).toMatchObject({ tests, decision: null });
  });

  it('that is rejected is not published, not even where it is tested again', async () => {
    const landing = await land('sl');
    await report(landing, { phase: 'approving' });
    await post(`landing/${landing.id}/decide/`, { decision: 'reject', comment: 'no bug named' });
    // It was rejected before it heard of it.
    expect(await report(landing, { phase: 'publishing' })).toBeNull();
    expect(await report(landing, { phase: 'imaging' })).toMatchObject({
      decision: { decision: 'reject' },
    });
    expect(await report(landing, { phase: 'publishing' })).toBeNull();
  });
});

describe('an override', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  it('is kept with the name of its author, and wakes the landings that wait, or soon may, and have a verdict on it', async () => {
    const [waiting, testing, done] = [await land('mksh'), await land('zsh'), await land('dash')];
    await report(waiting, { phase: 'approving' });
    await report(testing, { phase: 'testing' });
    await report(done, { phase: 'publishing' });
    for (const { id: landingId } of [waiting, testing, done])
      await api.now.database.TestVerdict.create({
        landingId,
        attempt: 1,
        source: 'figlet',
        architecture: 'amd64',
        test: 'smoke',
        verdict: 'cannot_tell',
        why: '',
        runId: null,
        baselineRunId: null,
      });
    const said = { source: 'figlet', test: 'smoke', reason: 'known', valid_until: inAnHour() };
    const { status, json, headers } = await post('testoverride/', said);
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...said, architecture: null, overridden_by: expect.any(String) });
    expect(headers.get('location')).toBe(json.resource_uri);
    expect((await get('testoverride/?source=figlet')).json.objects).toEqual([json]);
    expect(await undelivered()).toEqual(expect.arrayContaining([waiting.id, testing.id]));
    expect(await undelivered()).not.toContain(done.id);
  });

  it('may say why in more words than a history keeps of a change', async () => {
    const said = { source: 'toilet', reason: 'x'.repeat(1_500), valid_until: inAnHour() };
    expect(await post('testoverride/', said)).toMatchObject({ status: 201, json: said });
  });

  it('is refused for a source of more characters than one has', async () => {
    // PostgreSQL does not compress it, as it does most long texts, and an index takes no such text.
    const characters = Array.from({ length: 1_000 }, () => 0x4e00 + randomInt(0x5000));
    const source = String.fromCodePoint(...characters);
    const said = { source, reason: 'known', valid_until: inAnHour() };
    expect(await post('testoverride/', said)).toMatchObject({
      status: 400,
      json: { testoverride: { source: ['Enter at most 255 characters.'] } },
    });
  });

  it.each([
    [{ source: '' }, 'source'],
    [{ reason: ' ' }, 'reason'],
    [{ valid_until: undefined }, 'valid_until'],
    [{ valid_until: '2020-01-01T00:00:00Z' }, 'valid_until'],
    [{ valid_until: '2199-01-01T00:00:00Z' }, 'valid_until'],
    [{ test: '' }, 'test'],
    [{ source: 'a\u0000b' }, 'source'],
    [{ reason: 'a\u0000b' }, 'reason'],
    [{ reason: 'a\ud800' }, 'reason'],
    [{ test: 'a\u0000b' }, 'test'],
    [{ architecture: 'a\u0000b' }, 'architecture'],
  ])('is refused with %j, which names the field', async (fields, field) => {
    const said = { source: 'mksh', reason: 'known', valid_until: inAnHour(), ...fields };
    const { status, json } = await post('testoverride/', said);
    expect(status).toBe(400);
    expect(json.testoverride).toHaveProperty(field);
  });
});
