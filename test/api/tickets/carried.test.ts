import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, post } = world;
const BLUEPRINT = {
  kind: 'blueprint',
  url: 'https://blueprints.example/hello',
  title: 'Say hello',
};
const NOTHING = { references: [], owners: [], ppas: [], testsuites: [], components: [] };
const fullOf = async ({ id }: { id: number }) => (await get(`fullticket/${id}/`)).json;

describe('what a ticket carries', () => {
  it('is nothing at first', async () => {
    expect(await fullOf(await world.ticket())).toMatchObject(NOTHING);
  });

  it('is added to it one by one, and is all in the full ticket', async () => {
    const { resource_uri: ticket, id } = await world.ticket();
    const team = await world.person({ name: 'Desktop', email: 'd@example.org', is_team: true });
    const suite = await world.create('testsuite/', { name: 'smoke' });
    const reference = await world.create('reference/', { ticket, ...BLUEPRINT });
    const owner = await world.create('ticketowner/', { ticket, person: team.resource_uri });
    const ppa = await world.create('ticketppa/', { ticket, ppa: 'ppa:desktop/landing' });
    const run = await world.create('tickettestsuite/', { ticket, testsuite: suite.resource_uri });
    await world.create('reference/', { ...BLUEPRINT, ticket: (await world.ticket()).resource_uri });
    expect(await fullOf({ id })).toMatchObject({
      references: [{ ...reference, ...BLUEPRINT }],
      owners: [{ ...owner, person: team }],
      ppas: [{ ...ppa, ppa: 'ppa:desktop/landing' }],
      testsuites: [{ ...run, testsuite: suite }],
    });
    for (const link of [reference, owner, ppa, run])
      expect((await api.now.call('DELETE', link.resource_uri)).status).toBe(204);
    expect(await fullOf({ id })).toMatchObject(NOTHING);
  });

  it('comes with it in a bundle, all or nothing', async () => {
    const person = (await world.person()).resource_uri;
    const carried = {
      owner: 'dev@example.org',
      title: 'A fix',
      references: [BLUEPRINT, { kind: 'bug', url: 'https://bugs.example/7' }],
      owners: [{ person }],
      ppas: [{ ppa: ' Desktop/Landing' }],
      testsuites: [{ testsuite: { name: 'smoke' } }],
      artifacts: [{ name: 'i', reference: 'https://f.example/i', type: 'IMAGE', image: 'frozen' }],
    };
    const made = await world.create('ticket/bundle/', carried);
    expect(await fullOf(made)).toEqual(made);
    expect(made).toMatchObject({
      references: [BLUEPRINT, { kind: 'bug', title: '' }],
      owners: [{ person: { resource_uri: person } }],
      ppas: [{ ppa: 'desktop/landing' }],
      testsuites: [{ testsuite: { name: 'smoke' } }],
      artifacts: [{ type: 'IMAGE', image: 'frozen' }],
    });
    const before = (await get('reference/?limit=1')).json.meta.total_count;
    const wrong = await post('ticket/bundle/', { ...carried, ppas: [{ ppa: 'not one' }] });
    expect(wrong.status).toBe(400);
    expect(wrong.json.ticket).toEqual({
      'ppas[0].ppa': [
        'Enter ppa:owner/name, ~owner/ubuntu/name, owner/name or its address on Launchpad.',
      ],
    });
    expect((await get('reference/?limit=1')).json.meta.total_count).toBe(before);
  });

  it.each([
    ['reference', { ...BLUEPRINT, kind: 'wish' }, 'kind'],
    ['reference', { ...BLUEPRINT, url: 'javascript:alert(1)' }, 'url'],
    ['reference', { ...BLUEPRINT, url: `https://${'x'.repeat(2_000)}` }, 'url'],
    ['ticketppa', { ppa: 'not one' }, 'ppa'],
    ['ticketppa', { ppa: `ppa:a/${'x'.repeat(300)}` }, 'ppa'],
  ])('is refused by its rules: %s %o', async (name, fields, wrong) => {
    const ticket = (await world.ticket()).resource_uri;
    const answer = await post(`${name}/`, { ticket, ...fields });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json[name])).toEqual([wrong]);
  });

  it('names the source packages of the subtickets that stand', async () => {
    const ticket = await world.ticketOf('mojo', 'hello', 'hello');
    expect(ticket.components).toEqual(['hello', 'mojo']);
    const failed = { current_workflow_step: '999', status: '999' };
    await world.patch(`updatesubticketstatus/${ticket.subtickets[0].id}/`, failed);
    const source_package_upload = { sourcepackage: { name: 'another' }, version: '1' };
    await world.subticket(ticket, { source_package_upload });
    expect(await fullOf(ticket)).toMatchObject({ components: ['another', 'hello'] });
  });

  it('says of an image whether it is frozen or was built', async () => {
    const ticket = (await world.ticket()).resource_uri;
    const image = { ticket, name: 'i', reference: 'https://f.example/i', type: 'IMAGE' };
    expect(await world.create('ticketartifact/', image)).toMatchObject({ image: '' });
    for (const kind of ['frozen', 'built'])
      expect(await world.create('ticketartifact/', { ...image, image: kind })).toMatchObject({
        type: 'IMAGE',
        image: kind,
      });
    expect((await post('ticketartifact/', { ...image, image: 'blurred' })).status).toBe(400);
  });
});
