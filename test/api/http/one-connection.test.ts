import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { report as reportBuild } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi({ poolSize: 1 });
const world = createWorld(api);
const { post, landable } = world;

/** Sends a request that must happen once: it holds the only connection from its beginning to its end. */
const once = (path: string, body?: unknown) =>
  post(path, body, { 'idempotency-key': world.newName() });

const LANDING = {
  series: 'bookworm',
  archive: 'debian',
  ppa: 'ppa:airline/silo',
  target: 'ppa:airline/landed',
};
const land = async () =>
  (await post(`ticket/${(await landable(world.newName())).id}/land/`, LANDING)).json;
const landingIn = async (phase: LandingPhase) => {
  const { id } = await land();
  await api.now.database.LandingEvent.record({ landingId: id, attempt: 1, key: phase, phase });
  return id as number;
};
const failedBuild = async (fields?: object) => {
  const { id } = await world.build(await world.ticket(), { ...fields });
  await reportBuild(api.now.database, { id }, 'FAILURE');
  return id as number;
};

describe('a request that must happen once needs one connection', () => {
  it('to request a build, to cancel it, and to build it again', async () => {
    expect((await once('build_source', world.buildRequest(await world.ticket()))).status).toBe(202);
    const { id } = await world.build(await world.ticket());
    expect((await once(`build/${id}/cancel/`)).status).toBe(202);
    expect((await once(`build/${await failedBuild()}/retry/`, {})).status).toBe(202);
  });

  it("to build a landing's build again", async () => {
    const landingId = await landingIn('failed');
    const id = await failedBuild();
    await api.now.database.Build.update({ landingId }, { where: { id } });
    expect((await once(`build/${id}/retry/`, {})).status).toBe(202);
  });

  it('to build a merge proposal', async () => {
    const { resource_uri } = await world.mergeProposal();
    const { id } = await world.subticket(await world.ticket(), {
      source_package_upload: undefined,
      merge_proposal: resource_uri,
    });
    const { ppa, series, archive, progress_trigger } = world.buildRequest({ id });
    const target = { ppa, series, archive, progress_trigger };
    const answer = await once(`subticket/${id}/build_proposal/`, target);
    expect(answer.status).toBe(202);
  });

  it('to land a ticket, to pause and resume that, to cancel it, and to land it again', async () => {
    const { id: ticketId } = await landable(world.newName());
    const { status, json } = await once(`ticket/${ticketId}/land/`, LANDING);
    expect(status).toBe(202);
    for (const step of ['pause', 'resume', 'cancel'])
      expect((await once(`landing/${json.id}/${step}/`)).status).toBe(202);
    expect((await once(`landing/${await landingIn('failed')}/retry/`)).status).toBe(202);
  });

  it.each(['approve', 'reject'])('to %s a landing', async (decision) => {
    const id = await landingIn('approving');
    const answer = await once(`landing/${id}/decide/`, { decision, comment: 'Tried by hand.' });
    expect(answer.status).toBe(202);
  });

  it('to add to the pool, to clean it, and to take out of it', async () => {
    const { status, json } = await once('ppapool/', { ppa: 'ppa:airline/pooled' });
    expect(status).toBe(201);
    expect((await once(`ppapool/${json.id}/clean/`)).status).toBe(202);
    await api.now.database.PoolPpa.update({ state: 'free' }, { where: { id: json.id } });
    expect((await once(`ppapool/${json.id}/retire/`, { reason: 'Old.' })).status).toBe(202);
  });

  it('to make a token, and to be told that its name is taken', async () => {
    const token = { name: world.newName(), scopes: ['read'] };
    const made = await once('token/', token);
    expect(made.status).toBe(201);
    expect(await once('token/', token)).toMatchObject({
      status: 409,
      json: { code: 'conflict', error: expect.stringContaining(made.json.resource_uri) },
    });
  });

  it('to say that a test does not count', async () => {
    const answer = await once('testoverride/', {
      source: 'hello',
      reason: 'Known.',
      valid_until: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(answer.status).toBe(201);
  });
});
