import type { TargetRule } from '../../../domain/access/target-rule.ts';
import { report } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { LIMITS, useApi } from '../serve.ts';

const api = useApi({ authentication: 'token' });
let admin: Record<string, string>;
const world = createWorld(api, () => admin);
const REFUSED = { status: 403, json: { code: 'target_not_allowed', hint: expect.any(String) } };
const OWN = 'ppa:team/own';
const OTHER = 'ppa:airline/demo';
const CHECKED = {
  source: 'hello',
  version: '2.10-3',
  files: [{ name: 'hello_2.10-3.dsc', sha256: '0'.repeat(64), size: 812 }],
};

/** The headers of a caller with a new token. */
async function caller(name: string, targets?: TargetRule, scopes = ['read', 'build:write']) {
  const { text } = await api.now.database.AccessToken.issue(
    { name, scopes: scopes as ['read'], targets },
    LIMITS.tokenLifetimes,
    { actor: 'a test' },
  );
  return { authorization: `Bearer ${text}` };
}

let team: Record<string, string>;
beforeAll(async () => {
  admin = await caller('the-admin', undefined, ['admin']);
  team = await caller('team', { ppas: ['~team/*'], queuePrefixes: ['team-', 'shared.'] });
});

describe('a token with lists of PPAs and queues', () => {
  it('requests builds there, and nowhere else', async () => {
    const ticket = await world.ticket();
    const ask = (ppa: string, queue: string) =>
      world.post(
        'build_source',
        world.buildRequest(ticket, { ppa, progress_trigger: queue, series: world.newName() }),
        team,
      );
    expect((await ask(OWN, 'team-builds')).status).toBe(202);
    expect((await ask(OWN, 'shared.builds')).status).toBe(202);
    const ofPpa = await ask(OTHER, 'team-builds');
    expect(ofPpa).toMatchObject(REFUSED);
    expect(ofPpa.json.error).toBe('The token team does not allow the PPA ~airline/debian/demo.');
    const ofQueue = await ask(OWN, 'billing');
    expect(ofQueue).toMatchObject(REFUSED);
    expect(ofQueue.json.error).toMatch(/has to begin with team- or shared\./);
  });

  it('checks no upload elsewhere', async () => {
    const check = (ppa: string) =>
      world.post('check_upload', { ppa, series: 'sid', packages: [CHECKED] }, team);
    expect((await check(OWN)).status).toBe(200);
    expect(await check(OTHER)).toMatchObject(REFUSED);
  });

  it('checks no upload of a build that would report elsewhere', async () => {
    const check = (queue: string | null) =>
      world.post(
        'check_upload',
        { ppa: OWN, series: 'sid', packages: [CHECKED], progress_trigger: queue },
        team,
      );
    expect((await check('team-builds')).status).toBe(200);
    expect((await check(null)).status).toBe(200);
    const refused = await check('airline-cli-ticket-');
    expect(refused).toMatchObject(REFUSED);
    expect(refused.json.error).toMatch(
      /does not allow the queue airline-cli-ticket-: .* begin with team- or shared\./,
    );
  });

  it('retries no build that another caller has elsewhere', async () => {
    const { id } = await world.build(await world.ticket(), { ppa: OTHER });
    await report(api.now.database, { id }, 'FAILURE');
    expect(await world.post(`build/${id}/retry/`, {}, team)).toMatchObject(REFUSED);
    expect((await world.post(`build/${id}/retry/`, {})).status).toBe(202);
  });

  it('builds no merge proposal elsewhere', async () => {
    const { resource_uri: proposal } = await world.mergeProposal();
    const subticket = await world.subticket(await world.ticket(), {
      source_package_upload: undefined,
      merge_proposal: proposal,
    });
    const body = { series: 'sid', ppa: OTHER, progress_trigger: 'team-builds' };
    const path = `subticket/${subticket.id}/build_proposal/`;
    expect(await world.post(path, body, team)).toMatchObject(REFUSED);
    expect((await world.post(path, { ...body, ppa: OWN }, team)).status).toBe(202);
  });

  it('lands from there to there, and retries no landing of elsewhere', async () => {
    const place = { series: 'bookworm', archive: 'debian' };
    const land = async (fields: object, headers = team) => {
      const { id } = await world.landable(world.newName());
      return world.post(`ticket/${id}/land/`, { ...place, ...fields }, headers);
    };
    const there = { ppa: 'ppa:team/silo', target: 'ppa:team/landed' };
    expect((await land(there)).status).toBe(202);
    expect(await land({ ...there, ppa: OTHER })).toMatchObject(REFUSED);
    expect(await land({ ...there, target: 'ppa:airline/landed' })).toMatchObject(REFUSED);
    expect(await land({ ...there, progress_trigger: 'billing' })).toMatchObject(REFUSED);

    const { json } = await land({ ppa: OTHER, target: 'ppa:airline/landed' }, admin);
    expect(await world.post(`landing/${json.id}/retry/`, {}, team)).toMatchObject(REFUSED);
  });

  it('lands a ticket in a PPA that is dedicated to it only where the token has that, too', async () => {
    const ticket = await world.landable(world.newName());
    await world.create('ticketppa/', { ticket: ticket.resource_uri, ppa: 'airline/own' });
    const place = { series: 'bookworm', archive: 'debian', target: 'ppa:team/landed' };
    expect(await world.post(`ticket/${ticket.id}/land/`, place, team)).toMatchObject(REFUSED);
  });

  it('reads what is elsewhere', async () => {
    const { id } = await world.build(await world.ticket(), { ppa: OTHER });
    expect((await world.get(`build/${id}/`, team)).status).toBe(200);
  });
});

it('a session begun with the token has its lists', async () => {
  const { headers } = await world.post('session/', {
    token: team['authorization']?.slice('Bearer '.length),
  });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const self = await api.now.call('GET', '/api/v1/token/self/', undefined, { cookie });
  expect(self.json).toMatchObject({
    name: 'team',
    ppas: ['~team/*'],
    queue_prefixes: ['team-', 'shared.'],
  });
});
