import { assertOutsidePool } from '../../../api/requests/assert-outside-pool.ts';
import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import type { PlacedPolicy } from '../../../domain/landings/placed-policy.ts';
import { failLanding, report as reportBuild } from '../../support/rows.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { until } from '../../support/until.ts';
import { createWorld, type Resource } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const landingPolicies: PlacedPolicy[] = [];
const api = useApi({ landingPolicies });
const world = createWorld(api);
const { get, post } = world;

const FILES = 'http://127.0.0.1:9000/files/';
const add = (name: string, more: object = {}) =>
  post('ppapool/', { ppa: `~team/debian/${name}`, ...more });
/** Ends the cleaning that a PPA is in. @param problem why it is quarantined */
const cleaned = async ({ id }: { id: number }, problem: string | null = null) => {
  const row = await api.now.database.PoolPpa.findByPk(id, { rejectOnEmpty: true });
  await api.now.database.PoolPpa.endCleaning({ poolPpaId: id, cleaning: row.cleaning }, problem);
};
const stateOf = async ({ id }: { id: number }) => (await get(`ppapool/${id}/`)).json.state;

async function landable(): Promise<Resource> {
  const ticket = await world.ticketOf('hello');
  const [{ resource_uri: subticket }] = ticket.subtickets;
  await world.create('subticketartifact/', {
    subticket,
    name: 'changes',
    reference: `${FILES}hello_1_source.changes`,
    type: 'SPU',
  });
  return ticket;
}
const land = ({ id }: { id: number }, fields: object = {}) =>
  post(`ticket/${id}/land/`, {
    series: 'bookworm',
    target: 'ppa:airline/landed',
    archive: 'debian',
    ...fields,
  });
const fail = (landing: { id: number }) => failLanding(api.now.database, landing);

afterEach(() => landingPolicies.splice(0));

describe('the pool of PPAs', () => {
  it('looks at a PPA before a landing gets it', async () => {
    const { status, json, headers } = await add('looked-at');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/ppapool/${json.id}/`);
    expect(json).toMatchObject({
      ppa: '~team/debian/looked-at',
      distribution: 'debian',
      state: 'cleaning',
      reason: null,
      landing: null,
    });
    expect((await add('looked-at')).json.code).toBe('conflict');
    await cleaned(json);
    expect(await stateOf(json)).toBe('free');
  });

  it('takes a PPA in each of its forms, and nothing else', async () => {
    const given = { ppa: 'ppa:Team/Forms', archive: 'debian' };
    expect((await post('ppapool/', given)).json.ppa).toBe('~team/debian/forms');
    const refused = await post('ppapool/', { ppa: 'not a PPA' });
    expect(refused.status).toBe(400);
    expect(refused.json.fields).toHaveProperty('ppa');
  });

  it('has one that is quarantined cleaned again, and one that is free retired', async () => {
    const { json } = await add('stuck');
    const retire = (fields: object) => post(`ppapool/${json.id}/retire/`, fields);
    const why = { reason: 'nobody needs it' };
    expect((await retire(why)).json.code).toBe('conflict');
    await cleaned(json, 'it has foreign 1.0');
    expect((await get(`ppapool/${json.id}/`)).json).toMatchObject({
      state: 'quarantined',
      reason: 'it has foreign 1.0',
    });
    const clean = () => post(`ppapool/${json.id}/clean/`, {});
    expect((await clean()).json).toMatchObject({ state: 'cleaning', reason: null });
    await cleaned(json);
    for (const reason of [undefined, 'a\u0000b', 'a\ud800'])
      expect((await retire({ reason })).json.fields).toHaveProperty('reason');
    expect((await retire(why)).json).toMatchObject({ state: 'retired', ...why });
    expect((await clean()).json.code).toBe('conflict');
    // Somebody needs it again.
    expect((await add('stuck')).json).toMatchObject({ id: json.id, state: 'cleaning' });
  });

  it('does not bring back by configuration what was retired', async () => {
    const { json } = await add('gone');
    await cleaned(json);
    await post(`ppapool/${json.id}/retire/`, { reason: 'no' });
    const ppas = ['gone', 'new'].map((name) => ({ owner: 'team', distribution: 'debian', name }));
    await api.now.database.PoolPpa.addMissing(ppas);
    expect(await stateOf(json)).toBe('retired');
    const { objects } = (await get('ppapool/?ppa=~team/debian/new')).json;
    expect(objects).toMatchObject([{ state: 'cleaning' }]);
  });

  it('is where a landing builds that names no PPA', async () => {
    await add('for-landings');
    const { json } = await land(await landable());
    expect(json).toMatchObject({ ppa: null, uses_pool: true, waits_for: null });
    const refused = {
      code: 'not_landable',
      error: expect.stringMatching(/~team\/debian\/for-landings belongs to the pool/),
    };
    const named = await land(await landable(), { ppa: 'team/for-landings' });
    expect(named.json).toMatchObject(refused);
    const fully = { ppa: '~team/debian/for-landings', archive: undefined };
    expect((await land(await landable(), fully)).json).toMatchObject(refused);
    const ticket = await landable();
    await world.create('ticketppa/', { ticket: ticket.resource_uri, ppa: 'team/for-landings' });
    expect((await land(ticket)).json).toMatchObject(refused);
    const elsewhere = await land(await landable(), { archive: 'ubuntu' });
    expect(elsewhere.json).toMatchObject({
      code: 'not_landable',
      error: expect.stringMatching(/the pool has none of ubuntu/),
    });
  });

  it('is where nothing is landed, which would be emptied with it', async () => {
    await add('no-target');
    const target = '~team/debian/no-target';
    const refused = {
      status: 409,
      json: {
        code: 'not_landable',
        error: `${target} belongs to the pool, and is emptied after each landing: name another target.`,
      },
    };
    expect(await land(await landable(), { target, ppa: 'ppa:team/own' })).toMatchObject(refused);
    expect(await land(await landable(), { target })).toMatchObject(refused);
  });

  it.each([
    ['outside of the pool', { ppa: 'ppa:team/own' }],
    ['in the pool', {}],
  ])(
    'takes no PPA that a landing %s has as its target until that has ended',
    async (where, own) => {
      await add('for-those-without');
      const name = where.replaceAll(' ', '-');
      const target = `~team/debian/${name}`;
      const { json: landing } = await land(await landable(), { target, ...own });
      expect(await add(name)).toMatchObject({
        status: 409,
        json: {
          code: 'conflict',
          error: `Landing ${landing.id} uses ${target}: add it when that has ended.`,
        },
      });
      await fail(landing);
      expect((await add(name)).status).toBe(201);
      expect(await post(`landing/${landing.id}/retry/`)).toMatchObject({
        status: 409,
        json: { code: 'not_landable', error: expect.stringContaining(`${target} belongs to`) },
      });
    },
  );

  it('takes no PPA that a policy names as a target, but one that fits its pattern', async () => {
    const policyOf = (archive: string, takesBuilds = false): PlacedPolicy => ({
      targets: [{ archive, series: '*', pocket: '*' }],
      takesBuilds,
      policy: { ...DEFAULT_LANDING_POLICY, name: 'stable' },
    });
    landingPolicies.push(policyOf('~team/debian/stable'), policyOf('~team/*'));
    expect(await add('stable')).toMatchObject({
      status: 409,
      json: {
        code: 'conflict',
        error:
          '~team/debian/stable is a target of the policy stable: the pool takes no PPA that is landed in.',
      },
    });
    expect((await add('like-stable')).status).toBe(201);
    landingPolicies.splice(0, 2, policyOf('~team/debian/stable', true));
    expect((await add('stable')).status).toBe(201);
  });

  it('takes no build but those of the landing that holds the PPA', async () => {
    const place = {
      series: 'bookworm',
      ppa: '~team/debian/kept-clear',
      progress_trigger: 'lander',
    };
    const failed = await world.build(await world.ticket(), place);
    await reportBuild(api.now.database, failed, 'FAILURE');
    await add('kept-clear');
    const refused = {
      status: 409,
      json: { code: 'conflict', error: expect.stringMatching(/kept-clear belongs to the pool/) },
    };
    const request = world.buildRequest(await world.ticket(), place);
    expect(await post('build_source', request)).toMatchObject(refused);
    expect(await post(`build/${failed.id}/retry/`, {})).toMatchObject(refused);
    const { id } = await world.subticket(await world.ticket(), {
      source_package_upload: null,
      merge_proposal: (await world.mergeProposal()).resource_uri,
    });
    expect(await post(`subticket/${id}/build_proposal/`, place)).toMatchObject(refused);
  });

  it('takes no PPA that a landing names until that has ended, which is not retried there then', async () => {
    const { json: landing } = await land(await landable(), { ppa: 'ppa:Team/Named' });
    expect(await add('named')).toMatchObject({
      status: 409,
      json: {
        code: 'conflict',
        error: `Landing ${landing.id} uses ~team/debian/named: add it when that has ended.`,
      },
    });
    expect((await get('ppapool/?ppa=~team/debian/named')).json.objects).toEqual([]);
    await fail(landing);
    expect((await add('named')).status).toBe(201);
    expect(await post(`landing/${landing.id}/retry/`)).toMatchObject({
      status: 409,
      json: { code: 'not_landable', error: expect.stringMatching(/named belongs to the pool/) },
    });
    expect((await get(`landing/${landing.id}/`)).json).toMatchObject({ attempt: 1 });
  });

  it('takes no PPA that a build is under way in, be it one that was retired', async () => {
    const { json: ppa } = await add('busy');
    await cleaned(ppa);
    await post(`ppapool/${ppa.id}/retire/`, { reason: 'no' });
    const place = { ppa: 'team/busy', archive: 'debian' };
    const build = await world.build(await world.ticket(), place);
    expect(await add('busy')).toMatchObject({
      status: 409,
      json: { code: 'conflict', error: expect.stringContaining(`Build ${build.id} uses`) },
    });
    expect(await stateOf(ppa)).toBe('retired');
    await reportBuild(api.now.database, { id: build.id }, 'FAILURE');
    expect((await add('busy')).status).toBe(201);
  });

  it.each([
    [
      'a request adds',
      (name: string): Promise<unknown> => add(name),
      { status: 409, json: { code: 'conflict' } },
    ],
    [
      'the configuration adds',
      (name: string): Promise<unknown> =>
        api.now.database.PoolPpa.addMissing([{ owner: 'team', distribution: 'debian', name }]),
      [{ owner: 'team' }],
    ],
  ])('takes no PPA that %s while a build in it is on its way', async (what, addNow, refused) => {
    const name = what.replaceAll(' ', '-');
    const { id: ticketId } = await world.ticket();
    const { database } = api.now;
    const request = {
      ticketId,
      sourcePackages: [`${FILES}hello_1_source.changes`],
      series: 'bookworm',
      ppa: `team/${name}`,
      archive: 'debian',
      progressTrigger: 'lander',
      cancelUrl: null,
      requestId: 'request-1',
    };
    const transaction = await database.sequelize.transaction();
    await assertOutsidePool(database, request, transaction);
    let isOver = false;
    const answer = addNow(name).finally(() => {
      isOver = true;
    });
    await until(
      'it waits for the build',
      async () => isOver || (await waitsForLock(database.sequelize)),
    );
    await database.Build.accept(request, transaction);
    await transaction.commit();
    expect(await answer).toMatchObject(refused);
    expect((await get(`ppapool/?ppa=~team/debian/${name}`)).json.objects).toEqual([]);
  });

  it('leaves a ticket the PPA that somebody has named in place of one of the pool', async () => {
    await cleaned((await add('renamed')).json);
    const ticket = await landable();
    const { json: landing } = await land(ticket);
    const { LandingEvent, PpaLease } = api.now.database;
    await PpaLease.take({ landingId: landing.id, attempt: 1 });
    const dedicated = async () => (await get(`ticketppa/?ticket=${ticket.id}`)).json.objects;
    const [leased] = await dedicated();
    await world.patch(`ticketppa/${leased.id}/`, { ppa: '~team/debian/own' });
    await LandingEvent.record({
      landingId: landing.id,
      attempt: 1,
      key: 'end',
      phase: 'cancelled',
    });
    expect(await PpaLease.returnDue(0, 100)).toContain(landing.id);
    expect(await dedicated()).toMatchObject([{ id: leased.id, ppa: '~team/debian/own' }]);
  });

  it('says while a landing holds one that it cannot be retired', async () => {
    const { json: ppa } = await add('held');
    await cleaned(ppa);
    const { json: landing } = await land(await landable());
    const { PpaLease } = api.now.database;
    await PpaLease.take({ landingId: landing.id, attempt: 1 });
    const held = (await get(`ppapool/?landing_id=${landing.id}`)).json.objects;
    expect(held).toMatchObject([{ state: 'leased', landing: landing.resource_uri }]);
    for (const [path, body] of [
      ['retire', { reason: 'no' }],
      ['clean', {}],
    ] as const)
      expect((await post(`ppapool/${held[0].id}/${path}/`, body)).json.code).toBe('conflict');
  });
});
