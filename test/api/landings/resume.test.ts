import type { Scope } from '../../../domain/access/access.ts';
import type { TargetRule } from '../../../domain/access/target-rule.ts';
import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import type { PlacedPolicy } from '../../../domain/landings/placed-policy.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const HOUR_MS = 3_600_000;
const LISTS: TargetRule = { ppas: ['~team/*'], queuePrefixes: [] };
const release: PlacedPolicy = {
  targets: [{ archive: 'debian', series: '*', pocket: '*' }],
  takesBuilds: false,
  policy: {
    ...DEFAULT_LANDING_POLICY,
    name: 'release',
    landers: ['rel', 'rel-of-team'],
    approvers: ['bea'],
  },
};

const api = useApi({ authentication: 'token', landingPolicies: [release] });
let everything: string;
const world = createWorld(api, () => ({ authorization: everything }));
const callers = new Map<string, string>();
let reports = 0;

async function issue(name: string, scopes: readonly Scope[], targets?: TargetRule) {
  const lifetimes = { defaultMs: HOUR_MS, maxMs: HOUR_MS };
  const token = { name, scopes, targets };
  const { text } = await api.now.database.AccessToken.issue(token, lifetimes, { actor: 'a test' });
  callers.set(name, `Bearer ${text}`);
}
beforeAll(async () => {
  await issue('rel', ['build:write']);
  await issue('rel-of-team', ['build:write'], LISTS);
  await issue('ci', ['build:write']);
  await issue('ci-of-team', ['build:write'], LISTS);
  await issue('bea', ['build:write', 'landing:approve']);
  await issue('cleo', ['build:write', 'landing:approve']);
  await issue('ops', ['admin']);
  everything = callers.get('ops') ?? '';
});

const as = (name: string) => ({ authorization: callers.get(name) ?? '' });
const pause = (id: number, name: string) => world.post(`landing/${id}/pause/`, {}, as(name));
const resume = (id: number, name: string) => world.post(`landing/${id}/resume/`, {}, as(name));
const pausedBy = async (id: number) => (await world.get(`landing/${id}/`)).json.paused_by;
const report = (landingId: number) =>
  api.now.database.LandingEvent.record({
    landingId,
    attempt: 1,
    key: `${(reports += 1)}`,
    phase: 'testing',
  });

/** A landing that `rel` has requested. */
async function land(target: string, ppa: string): Promise<number> {
  const { id } = await world.landable(world.newName());
  const place = { series: 'bookworm', archive: 'debian', ppa, target };
  const { status, json } = await world.post(`ticket/${id}/land/`, place, {
    ...as('rel'),
    prefer: 'return=representation',
  });
  expect(status).toBe(202);
  return Number(json.id);
}
const toDebian = () => land('debian', 'ppa:rel/staging');

describe('a landing that was paused', () => {
  it.each([
    ['is no lander', 'ci', 'not_a_lander'],
    ['is no lander, and has lists of another team', 'ci-of-team', 'not_a_lander'],
    ['has lists of another team', 'rel-of-team', 'target_not_allowed'],
    ['may approve others, and not this one', 'cleo', 'not_a_lander'],
  ])('is not resumed by somebody who %s', async (_, name, code) => {
    const id = await toDebian();
    expect((await pause(id, 'rel')).status).toBe(202);
    expect(await resume(id, name)).toMatchObject({ status: 403, json: { code } });
    expect(await pausedBy(id)).toBe('rel');
  });

  it('is not resumed past the lists of a token where anybody may land', async () => {
    const id = await land('ppa:rel/landed', 'ppa:rel/staging');
    await pause(id, 'rel');
    expect(await resume(id, 'ci-of-team')).toMatchObject({
      status: 403,
      json: { code: 'target_not_allowed' },
    });
    expect((await resume(id, 'ci')).status).toBe(202);
  });

  it.each([
    ['a lander', 'rel'],
    ['an approver', 'bea'],
    ['an operator', 'ops'],
  ])('is resumed by %s, whoever has paused it', async (_, name) => {
    const id = await toDebian();
    await pause(id, 'ci');
    expect((await resume(id, name)).status).toBe(202);
    expect(await pausedBy(id)).toBeNull();
  });

  it('is resumed by whoever has paused it', async () => {
    const id = await toDebian();
    await pause(id, 'ci-of-team');
    expect((await resume(id, 'ci-of-team')).status).toBe(202);
    expect(await pausedBy(id)).toBeNull();
  });

  it('has who resumed it in the event that comes next', async () => {
    const id = await toDebian();
    await pause(id, 'ci');
    expect(await report(id)).toMatchObject({ paused_by: 'ci' });
    await resume(id, 'bea');
    const events = [await report(id), await report(id)];
    expect(events[0]).toMatchObject({ resumed_by: 'bea' });
    expect(events[0]).not.toHaveProperty('paused_by');
    expect(events[1]).not.toHaveProperty('resumed_by');
    const { objects } = (await world.get(`landing/${id}/events/`)).json;
    expect(objects[1]).toMatchObject({ seq: 2, resumed_by: 'bea' });
  });
});
