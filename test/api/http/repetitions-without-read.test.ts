import type { Scope } from '../../../domain/access/access.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const HOUR_MS = 3_600_000;
const TESTER = { actor: 'a test' };

const api = useApi({ authentication: 'token' });
let reader: string;
const world = createWorld(api, () => ({ authorization: reader }));

async function issue(name: string, scopes: readonly Scope[]) {
  const lifetimes = { defaultMs: HOUR_MS, maxMs: HOUR_MS };
  const { AccessToken } = api.now.database;
  const { text, row } = await AccessToken.issue({ name, scopes }, lifetimes, TESTER);
  const revoke = () => AccessToken.revoke(row.id, TESTER);
  return { authorization: `Bearer ${text}`, revoke };
}

/** Two tokens of one name: the first may read, and is revoked before the second is issued. */
async function narrowed(name: string, scope: Scope, first: (as: object) => Promise<unknown>) {
  const { authorization, revoke } = await issue(name, ['read', scope]);
  await first({ authorization });
  await revoke();
  return { authorization: (await issue(name, [scope])).authorization };
}

beforeAll(async () => {
  ({ authorization: reader } = await issue('reader', ['admin']));
});

describe('a repetition under an Idempotency-Key, by a token that may not read', () => {
  it('does not show what was answered to one of its name that may', async () => {
    const { id } = await world.ticket({ title: 'embargoed' });
    const key = { 'idempotency-key': 'poll' };
    const change = (as: object) => world.patch(`ticket/${id}/`, {}, { ...key, ...as });
    const narrow = await narrowed('kim', 'ticket:write', async (as) => {
      expect(await change(as)).toMatchObject({ status: 202, json: { title: 'embargoed' } });
    });
    const again = await change(narrow);
    expect(again).toMatchObject({ status: 202, text: '' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await world.patch(`ticket/${id}/`, {}, narrow);
    for (const name of ['content-type', 'content-length', 'etag', 'preference-applied'])
      expect([name, again.headers.get(name)]).toEqual([name, other.headers.get(name)]);
  });

  it('does not show what was added to a bundle', async () => {
    const person = await world.person();
    const owners = [{ person: person.resource_uri }];
    const bundle = { title: 'x', owner: 'a@example.org', owners };
    const key = { 'idempotency-key': 'bundle' };
    const add = (as: object) => world.post('ticket/bundle/', bundle, { ...key, ...as });
    let location: string | null = null;
    const narrow = await narrowed('lou', 'ticket:write', async (as) => {
      const { status, text, headers } = await add(as);
      expect(status).toBe(201);
      expect(text).toContain(person.resource_uri);
      location = headers.get('location');
    });
    const again = await add(narrow);
    expect(again).toMatchObject({ status: 201, text: '' });
    expect(again.headers.get('location')).toBe(location);
  });

  it('shows what a request has made, as its first answer did', async () => {
    const { id } = await world.landable(world.newName());
    const place = { series: 'bookworm', archive: 'debian', ppa: 'ppa:a/silo', target: 'ubuntu' };
    const { authorization } = await issue('max', ['build:write']);
    const land = () =>
      world.post(`ticket/${id}/land/`, place, { authorization, 'idempotency-key': 'land' });
    const first = await land();
    expect(first).toMatchObject({ status: 202, json: { phase: 'queued' } });
    expect(await land()).toMatchObject({ status: 202, text: first.text });
  });
});
