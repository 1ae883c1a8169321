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

  it('is shown the build that it requests, and none that it cancels', async () => {
    const builder = await caller('builder', 'build:write');
    const ticket = await world.ticket();
    const made = await world.post('build_source', world.buildRequest(ticket), builder);
    expect(made).toMatchObject({ status: 202, json: { ticket_id: ticket.id } });
    const cancelled = await world.post(`build/${made.json.id}/cancel/`, undefined, builder);
    expect(cancelled).toMatchObject({ status: 202, text: '' });
  });
});
