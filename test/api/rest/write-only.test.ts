import { createWorld } from '../../support/world.ts';
import type { Scope } from '../../../domain/access/access.ts';
import { LIMITS, useApi } from '../serve.ts';

const api = useApi({ authentication: 'token' });
let admin: Record<string, string>;
const world = createWorld(api, () => admin);
async function caller(name: string, scope: Scope) {
  const { text } = await api.now.database.AccessToken.issue(
    { name, scopes: [scope] },
    LIMITS.tokenLifetimes,
    { actor: 'a test' },
  );
  return { authorization: `Bearer ${text}` };
}
beforeAll(async () => {
  admin = await caller('the-admin', 'admin');
});

describe('who may write and not read', () => {
  it('is shown the ticket that it adds, and none that it changes', async () => {
    const writer = await caller('writer', 'ticket:write');
    const made = await world.post('ticket/', { owner: 'a@example.org', title: 'Mine' }, writer);
    expect(made).toMatchObject({ status: 201, json: { title: 'Mine' } });
    const { id } = await world.ticket({ title: 'Secret' });
    expect((await world.get(`ticket/${id}/`, writer)).status).toBe(403);
    const nothing = await world.patch(`ticket/${id}/`, {}, writer);
    expect(nothing.status).toBeLessThan(300);
    expect(nothing.text).toBe('');
  });

  it('is shown the bundle that it adds, unless that names what others have added', async () => {
    const writer = await caller('bundler', 'ticket:write');
    const bundle = (parts: object, headers: Record<string, string> = writer) =>
      world.post('ticket/bundle/', { owner: 'a@example.org', title: 'Mine', ...parts }, headers);
    const upload = { sourcepackage: { name: world.newName() }, version: '1' };
    const person = { name: 'Ada', email: 'ada@example.org' };
    const own = await bundle({
      owners: [{ person }],
      subtickets: [{ source_package_upload: upload }],
    });
    expect(own).toMatchObject({
      status: 201,
      json: { owners: [{ person }], subtickets: [{ source_package_upload: upload }] },
    });

    const { resource_uri: known } = await world.person();
    const { resource_uri: testsuite } = await world.create('testsuite/', { name: 'Secret suite' });
    const { resource_uri: sourcepackage } = await world.sourcePackage();
    const { id, resource_uri: uploaded } = await world.upload();
    const { resource_uri: merge_proposal } = await world.mergeProposal();
    const subticketOf = (part: object) => ({ subtickets: [part] });
    for (const named of [
      { owners: [{ person }, { person: known }] },
      { owners: [{ person: { resource_uri: known } }] },
      { testsuites: [{ testsuite }] },
      subticketOf({ merge_proposal }),
      subticketOf({ source_package_upload: uploaded }),
      subticketOf({ source_package_upload: { ...upload, resource_uri: uploaded } }),
      subticketOf({ source_package_upload: { id } }),
      subticketOf({ source_package_upload: { ...upload, sourcepackage } }),
      subticketOf({
        source_package_upload: { ...upload, sourcepackage: { resource_uri: sourcepackage } },
      }),
    ]) {
      const { status, text, headers } = await bundle(named);
      expect({ named, status, text }).toEqual({ named, status: 201, text: '' });
      expect(headers.get('location')).toMatch(/^\/api\/v1\/ticket\/\d+\/$/);
      expect((await bundle(named, admin)).json).toMatchObject({ title: 'Mine' });
    }
  });

  it('is shown the build that it requests, and none that it cancels', async () => {
    const builder = await caller('builder', 'build:write');
    const ticket = await world.ticket();
    const made = await world.post('build_source', world.buildRequest(ticket), builder);
    expect(made).toMatchObject({ status: 202, json: { ticket_id: ticket.id } });
    const cancelled = await world.post(`build/${made.json.id}/cancel/`, undefined, builder);
    expect(cancelled).toMatchObject({ status: 202, text: '' });
  });
});
