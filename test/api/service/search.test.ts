import { randomBytes } from 'node:crypto';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

type Found = { kind: string; id: number | null; name: string; detail: string };
const search = async (q: string) =>
  (await api.now.call('GET', `/api/v1/search/?${new URLSearchParams({ q }).toString()}`)).json
    .objects as Found[];

describe('GET /api/v1/search/', () => {
  it('finds a ticket by its number as people write it, and by its words', async () => {
    const ticket = await world.ticket({ title: 'Correct the flux capacitor' });
    for (const asked of [`#${ticket.id}`, `${ticket.id}`, 'flux capacitor', 'FLUX'])
      expect(await search(asked)).toContainEqual({
        kind: 'ticket',
        id: ticket.id,
        name: 'Correct the flux capacitor',
        detail: 'Queued',
      });
    const { json } = await api.now.call('GET', `/api/v1/ticket/?q=%23${ticket.id}`);
    expect(json.objects).toMatchObject([{ id: ticket.id }]);
  });

  it('says of a ticket that it has failed, by its status, too', async () => {
    const { id } = await world.ticket();
    await world.patch(`ticket/${id}/`, { current_workflow_step: '400', status: '999' });
    expect(await search(`#${id}`)).toMatchObject([{ kind: 'ticket', id, detail: 'Failed' }]);
  });

  it('finds a ticket by its number first, however many newer ones have it in their titles', async () => {
    const { id } = await world.ticket();
    for (let newer = 0; newer < 6; newer++) await world.ticket({ title: `As ticket number ${id}` });
    const tickets = (await search(String(id))).filter(({ kind }) => kind === 'ticket');
    expect(tickets).toHaveLength(6);
    expect(tickets[0]).toMatchObject({ id });
  });

  it('finds a build by its number, and what it is built in', async () => {
    const build = await world.build(await world.ticket(), { ppa: 'ppa:uma/judge' });
    expect(await search(`build ${build.id}`)).toContainEqual(
      expect.objectContaining({ kind: 'build', id: build.id, detail: 'queued' }),
    );
    expect(await search('UMA/j')).toEqual([
      { kind: 'ppa', id: null, name: 'ppa:uma/judge', detail: '' },
    ]);
  });

  it('finds a package by a part of its name, and a version by how it begins', async () => {
    const upload = await world.upload({
      sourcepackage: { name: 'searchable' },
      version: '4.5~rc1-2',
    });
    expect(upload.id).toBeGreaterThan(0);
    expect(await search('archab')).toContainEqual(
      expect.objectContaining({ kind: 'package', name: 'searchable' }),
    );
    expect(await search('4.5~rc')).toEqual([
      { kind: 'version', id: null, name: 'searchable', detail: '4.5~rc1-2' },
    ]);
    // What a pattern of SQL would mean is what it says.
    expect(await search('4_5')).toEqual([]);
  });

  it('finds a version of as many characters as one may have', async () => {
    // PostgreSQL does not compress it, as it does most long texts.
    const version = `4.6-${randomBytes(4_096).toString('base64url')}`.slice(0, 4_096);
    await world.upload({ sourcepackage: { name: 'lengthy' }, version });
    expect(await search(version.slice(0, 40))).toEqual([
      { kind: 'version', id: null, name: 'lengthy', detail: version },
    ]);
  });

  it('refuses an empty or an endless text', async () => {
    for (const q of ['', ' ', 'x'.repeat(101)])
      expect((await api.now.call('GET', `/api/v1/search/?q=${q}`)).status).toBe(400);
    expect((await api.now.call('GET', '/api/v1/search/')).status).toBe(400);
  });
});
