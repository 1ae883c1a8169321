import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import type { PlacedPolicy } from '../../../domain/landings/placed-policy.ts';
import { openLandingBuild } from '../../../models/landings/landing-build.ts';
import { failLanding, report as reportBuild } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const policy = (name: string, archive: string, takesBuilds = false): PlacedPolicy => ({
  targets: [{ archive, series: '*', pocket: '*' }],
  takesBuilds,
  policy: { ...DEFAULT_LANDING_POLICY, name },
});
const policies: PlacedPolicy[] = [
  policy('silos', '~team/debian/silo-*', true),
  policy('team', '~team/*'),
  policy('release', '~release/debian/out'),
  policy('all', '*'),
];
const api = useApi({ landingPolicies: policies });
const world = createWorld(api);

const TARGETS = ['ppa:release/out', 'ppa:team/landed'];
const refusal = (reference: string, name: string) => ({
  status: 403,
  json: {
    code: 'target_not_allowed',
    error: `${reference} is a target of the policy ${name}: packages get there by landings alone.`,
  },
});
const REFUSED = { status: 403, json: { code: 'target_not_allowed' } };
const build = async (ppa: string) =>
  world.post('build_source', world.buildRequest(await world.ticket(), { ppa }));
const land = async (fields: object) => {
  const { id } = await world.landable(world.newName());
  const place = { series: 'bookworm', archive: 'debian', target: 'ppa:ann/landed' };
  return world.post(`ticket/${id}/land/`, { ...place, ...fields });
};
const failed = (landing: { id: number }) => failLanding(api.now.database, landing);

describe('a PPA that a policy names as a target', () => {
  it('takes no build', async () => {
    expect(await build('ppa:release/out')).toMatchObject(refusal('~release/debian/out', 'release'));
    expect(await build('ppa:Team/landed')).toMatchObject(refusal('~team/debian/landed', 'team'));
  });

  it('takes builds where the policy says so, or names it by * alone', async () => {
    for (const ppa of ['ppa:team/silo-1', 'ppa:ann/own'])
      expect({ ppa, status: (await build(ppa)).status }).toEqual({ ppa, status: 202 });
  });

  it.each(TARGETS)('takes no build of a merge proposal: %s', async (ppa) => {
    const { resource_uri: merge_proposal } = await world.mergeProposal();
    const { id } = await world.subticket(await world.ticket(), {
      source_package_upload: undefined,
      merge_proposal,
    });
    const body = { series: 'sid', archive: 'debian', ppa, progress_trigger: 'lander-1' };
    expect(await world.post(`subticket/${id}/build_proposal/`, body)).toMatchObject(REFUSED);
  });

  it('takes no retry of a build from before there was the policy', async () => {
    const { json } = await build('ppa:later/out');
    await reportBuild(api.now.database, json, 'FAILURE');
    policies.unshift(policy('later', '~later/*'));
    const retried = await world.post(`build/${json.id}/retry/`, {});
    policies.shift();
    expect(retried).toMatchObject(refusal('~later/debian/out', 'later'));
    expect((await world.post(`build/${json.id}/retry/`, {})).status).toBe(202);
  });

  it.each(TARGETS)('takes no build of a landing at another target: %s', async (ppa) => {
    expect(await land({ ppa })).toMatchObject(REFUSED);
    const { id, resource_uri: ticket } = await world.landable(world.newName());
    await world.create('ticketppa/', { ticket, ppa });
    const place = { series: 'bookworm', archive: 'debian', target: 'ppa:ann/landed' };
    expect(await world.post(`ticket/${id}/land/`, place)).toMatchObject(REFUSED);
  });

  it('is landed in from a PPA that takes builds', async () => {
    expect((await land({ ppa: 'ppa:team/silo-1', target: 'ppa:team/landed' })).status).toBe(202);
  });

  it('takes the builds of the landing that has it of the pool', async () => {
    const { database } = api.now;
    const { json: pooled } = await world.post('ppapool/', { ppa: '~team/debian/pool-1' });
    const { id: poolPpaId, cleaning } = await database.PoolPpa.findByPk(pooled.id, {
      rejectOnEmpty: true,
    });
    await database.PoolPpa.endCleaning({ poolPpaId, cleaning }, null);
    const { json: landing } = await land({});
    const of = { landingId: landing.id, attempt: 1 };
    expect(await database.PpaLease.take(of)).toMatchObject({ ppa: { name: 'pool-1' } });
    const [{ source }] = landing.parts;
    const { id } = await openLandingBuild(database.sequelize, database, { ...of, source });
    await reportBuild(database, { id }, 'FAILURE');
    await failed(landing);
    expect((await world.post(`build/${id}/retry/`, {})).status).toBe(202);
  });
});

describe('the target of a landing', () => {
  const notLandable = {
    status: 409,
    json: {
      code: 'not_landable',
      error: expect.stringMatching(/^~ann\/debian\/landed is the target: .* Name another ppa\.$/),
    },
  };

  it('is not the PPA that it builds in, in whatever form that is named', async () => {
    for (const ppa of ['ppa:ann/landed', '~ann/debian/landed', 'Ann/landed'])
      expect(await land({ ppa })).toMatchObject(notLandable);
    const { id, resource_uri: ticket } = await world.landable(world.newName());
    await world.create('ticketppa/', { ticket, ppa: 'ann/landed' });
    const place = { series: 'bookworm', archive: 'debian', target: 'ppa:ann/landed' };
    expect(await world.post(`ticket/${id}/land/`, place)).toMatchObject(notLandable);
  });

  it('is not that of a landing from before, which is not retried', async () => {
    const { json: row } = await land({ ppa: 'ppa:ann/own' });
    await failed(row);
    await api.now.database.Landing.update({ ppa: 'ppa:ann/landed' }, { where: { id: row.id } });
    expect(await world.post(`landing/${row.id}/retry/`)).toMatchObject(notLandable);
  });
});
