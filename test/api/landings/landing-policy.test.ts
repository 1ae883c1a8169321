import {
  DEFAULT_LANDING_POLICY,
  type FreezeWindow,
} from '../../../domain/landings/landing-policy.ts';
import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { landingFailureOf } from '../../../domain/landings/landing-failure.ts';
import type { PlacedPolicy } from '../../../domain/landings/placed-policy.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

// Authentication is off: everybody is called anonymous.
const FREEZE: FreezeWindow = {
  from: '2000-01-01T00:00:00.000Z',
  until: '2100-01-01T00:00:00.000Z',
  why: 'a long release',
  exempt: [],
};
const policy = (series: string, fields: Partial<PlacedPolicy['policy']>): PlacedPolicy => ({
  targets: [{ archive: '*', series, pocket: '*' }],
  takesBuilds: false,
  policy: { ...DEFAULT_LANDING_POLICY, name: series, text: `name: ${series}`, ...fields },
});
const policies: PlacedPolicy[] = [
  policy('others', { landers: ['ann', 'bea'] }),
  policy('frozen', { freezes: [FREEZE] }),
  policy('exempt', { freezes: [{ ...FREEZE, exempt: ['anonymous'] }] }),
  policy('approved', { approvers: ['ann'] }),
  policy('four-eyes', { fourEyes: true, approvers: ['anonymous'] }),
];
const api = useApi({ landingPolicies: policies });
const world = createWorld(api);

let reports = 0;
const report = ({ id }: { id: number }, phase: LandingPhase, more: object = {}) => {
  const key = String((reports += 1));
  return api.now.database.LandingEvent.record({ landingId: id, attempt: 1, key, phase, ...more });
};
const land = async (targetSeries: string) => {
  const { id } = await world.landable(world.newName());
  return world.post(`ticket/${id}/land/`, {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ppa:airline/landed',
    target_series: targetSeries,
  });
};
const landedAt = async (series: string, phase: LandingPhase) => {
  const { json } = await land(series);
  const failure = landingFailureOf('frozen', 'approving', 'no');
  await report(json, phase, phase === 'failed' ? { failure } : {});
  return json;
};
const decide = ({ id }: { id: number }, decision: string) =>
  world.post(`landing/${id}/decide/`, { decision, comment: 'Tried by hand.' });

it('is kept with the landing, as its target has it, else the default', async () => {
  const { json } = await land('four-eyes');
  expect(json.policy).toMatchObject({
    name: 'four-eyes',
    text: 'name: four-eyes',
    four_eyes: true,
  });
  const other = await land('bookworm');
  expect(other.json.policy).toMatchObject({
    name: 'default',
    text: '',
    approval: 'always',
    tests: 'reverse_dependencies',
    test_architectures: ['amd64'],
  });
  const row = await api.now.database.Landing.findByPk(other.json.id, { rejectOnEmpty: true });
  expect(row.toInput().policy).toEqual(DEFAULT_LANDING_POLICY);
});

it('is told for a target before anything is landed there', async () => {
  const told = await world.get(
    'landingpolicy/?target=ppa:airline/landed&archive=debian&series=frozen',
  );
  expect(told.json).toMatchObject({
    target: { archive: '~airline/debian/landed', series: 'frozen', pocket: 'Release' },
    policy: { name: 'frozen', freezes: [FREEZE] },
  });
  const other = await world.get('landingpolicy/?target=ubuntu&series=noble');
  expect(other.json).toMatchObject({ target: { pocket: 'Proposed' }, policy: { name: 'default' } });
});

it.each([
  ['series=noble', 'Name the target'],
  ['target=ubuntu', 'Name the series'],
  ['target=ubuntu&series=no%20ble', 'series: Enter a name of lower-case letters'],
  ['target=a/b&series=noble&archive=de%20bian', 'archive: Enter a name of lower-case letters'],
  ['target=ubuntu&series=noble&pocket=Beta', 'pocket: Enter one of Release, Security'],
  ['target=not%20a%20PPA&series=noble', 'target: '],
  ['target=a/b&series=noble&pocket=Proposed', 'A PPA has only the pocket Release.'],
])('is not told for %s, and says why', async (query, said) => {
  const { status, json } = await world.get(`landingpolicy/?${query}`);
  expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_field' });
  expect(json.error).toContain(said);
});

it('says who may land', async () => {
  expect(await land('others')).toMatchObject({
    status: 403,
    json: {
      code: 'not_a_lander',
      error: expect.stringMatching(/lets ann, bea land, and not anonymous/),
    },
  });
});

it('keeps a freeze, save for those that it exempts', async () => {
  expect(await land('frozen')).toMatchObject({
    status: 409,
    json: {
      code: 'target_frozen',
      error: expect.stringMatching(/a freeze until 2100-01-01T00:00:00.000Z: a long release/),
    },
  });
  const { status, json } = await land('exempt');
  expect(status).toBe(202);
  const row = await api.now.database.Landing.findByPk(json.id, { rejectOnEmpty: true });
  expect(row.toInput().policy?.freezes).toEqual([]);
});

it('keeps a freeze that was added since: it waits unapproved, and what failed is not retried', async () => {
  const waiting = await landedAt('later', 'approving');
  const failed = await landedAt('later', 'failed');
  policies.push(policy('later', { freezes: [FREEZE] }));
  expect((await decide(waiting, 'approve')).json.code).toBe('target_frozen');
  expect((await decide(waiting, 'reject')).status).toBe(202);
  expect((await world.post(`landing/${failed.id}/retry/`)).json.code).toBe('target_frozen');
  policies.pop();
  policies.push(policy('later', { name: 'thawed' }));
  expect((await world.post(`landing/${failed.id}/retry/`)).json.policy.name).toBe('thawed');
});

it('takes no approval of a landing whose workflow still keeps a freeze that was lifted', async () => {
  const waiting = await landedAt('lifted', 'approving');
  const row = await api.now.database.Landing.findByPk(waiting.id, { rejectOnEmpty: true });
  // It was requested before the freeze, which the file had then.
  await row.update({ policy: { ...DEFAULT_LANDING_POLICY, freezes: [FREEZE] } });
  expect(await decide(waiting, 'approve')).toMatchObject({
    status: 409,
    json: {
      code: 'target_frozen',
      error:
        'The landing was requested when its policy had a freeze until 2100-01-01T00:00:00.000Z: a long release. Cancel it and retry it: a retry takes the policy of today.',
    },
  });
  expect((await decide(waiting, 'reject')).status).toBe(202);
});

it('says who may decide, and that nobody approves what they requested', async () => {
  const byOthers = await landedAt('approved', 'approving');
  expect(await decide(byOthers, 'reject')).toMatchObject({
    status: 403,
    json: { code: 'not_an_approver', error: expect.stringMatching(/lets ann decide/) },
  });
  const own = await landedAt('four-eyes', 'approving');
  expect((await decide(own, 'approve')).json).toMatchObject({
    code: 'not_an_approver',
    error: expect.stringMatching(/anonymous requested this attempt of the landing/),
  });
  expect((await decide(own, 'reject')).status).toBe(202);
});

it('has who retried a landing that somebody else requested count as who requested it', async () => {
  const failed = await landedAt('four-eyes', 'failed');
  await api.now.database.Landing.update({ requestedBy: 'bea' }, { where: { id: failed.id } });
  expect((await world.post(`landing/${failed.id}/retry/`)).status).toBe(202);
  await report(failed, 'approving', { attempt: 2 });
  expect((await decide(failed, 'approve')).json).toMatchObject({
    code: 'not_an_approver',
    error:
      'anonymous requested this attempt of the landing, and the policy four-eyes has somebody else approve it.',
    hint: expect.stringContaining('retried it last'),
  });
});
