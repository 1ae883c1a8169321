import { QueryTypes } from 'sequelize';
import { createWorld, stepOf } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, patch } = world;
const changesOf = async (path: string) => (await get(`${path}history/`)).json.objects;
const seqs = (changes: { seq: number }[]) => changes.map(({ seq }) => seq);

describe('the history of a ticket', () => {
  it('has a row for each change of step or status: who, when, from, to, why, by which request', async () => {
    const { id } = await world.ticket();
    const before = Date.now();
    const first = { ...stepOf(200), reason: 'the build begins' };
    await patch(`updateticketstatus/${id}/`, first, { 'x-request-id': 'request-1' });
    await patch(`ticket/${id}/`, { status: 300 });
    const answer = await get(`ticket/${id}/history/`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      meta: { limit: 1000, next: null, offset: 0, previous: null, total_count: 2 },
      objects: [
        {
          seq: 1,
          ticket: `/api/v1/ticket/${id}/`,
          subticket: null,
          from_step: '100',
          to_step: '200',
          from_status: '100',
          to_status: '200',
          actor: 'anonymous',
          reason: 'the build begins',
          request_id: 'request-1',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        expect.objectContaining({
          seq: 2,
          from_step: '200',
          to_step: '200',
          from_status: '200',
          to_status: '300',
          reason: '',
          request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        }),
      ],
    });
    const [at] = answer.json.objects.map(({ created_at }: { created_at: string }) =>
      Date.parse(created_at),
    );
    expect(at).toBeGreaterThanOrEqual(before - 1_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('has for each ticket of a list its own reason, or else that of the list', async () => {
    const [one, other] = [await world.ticket(), await world.ticket()];
    const failed = (ticket: { resource_uri: string }, more = {}) => ({
      resource_uri: ticket.resource_uri,
      ...stepOf(999),
      ...more,
    });
    const objects = [failed(one, { reason: 'its tests fail' }), failed(other)];
    const answer = await patch(
      'ticket/',
      { objects, reason: 'all are given up' },
      { prefer: 'handling=strict' },
    );
    expect(answer.json.objects).toMatchObject([
      { failure_reason: 'its tests fail' },
      { failure_reason: 'all are given up' },
    ]);
    for (const [{ id }, reason] of [
      [one, 'its tests fail'],
      [other, 'all are given up'],
    ] as const)
      expect(await changesOf(`ticket/${id}/`)).toMatchObject([{ to_step: '999', reason }]);
    const wrong = [failed(one, { reason: 5 })];
    expect(await patch('ticket/', { objects: wrong })).toMatchObject({
      status: 400,
      json: { ticket: { 'objects[0].reason': [expect.any(String)] } },
    });
  });

  it('has those of its subtickets where it is asked for them, in one order', async () => {
    const ticket = await world.ticket();
    const { id } = ticket;
    const { id: part } = await world.subticket(ticket);
    await patch(`updatesubticketstatus/${part}/`, { ...stepOf(200), reason: 'it builds' });
    const { objects: all } = (await get(`ticket/${id}/history/?subtickets=true`)).json;
    expect(all.map((one: { subticket: string | null }) => one.subticket)).toEqual([
      `/api/v1/subticket/${part}/`,
      null,
    ]);
    expect(seqs(all)).toEqual([1, 2]);
    expect((await changesOf(`ticket/${id}/`)).length).toBe(1);
    const later = await get(`ticket/${id}/history/?subtickets=true&after=1`);
    expect(seqs(later.json.objects)).toEqual([2]);
    for (const yes of ['True', '1'])
      expect((await get(`ticket/${id}/history/?subtickets=${yes}`)).json.objects).toEqual(all);
    expect((await get(`ticket/${id}/history/?subtickets=perhaps`)).status).toBe(400);
  });

  it('has no row for what changes nothing, for a new title, and for what was refused', async () => {
    const { id } = await world.ticket();
    await patch(`updateticketstatus/${id}/`, stepOf(100));
    await patch(`ticket/${id}/`, { title: 'Another', reason: 'a better one' });
    await patch(`ticket/${id}/`, { current_workflow_step: '150' });
    await patch(`ticket/${id}/`, { status: '200' }, { 'if-match': '"77"' });
    expect(await changesOf(`ticket/${id}/`)).toEqual([]);
    await patch(`ticket/${id}/`, { status: '200', title: 'A third' });
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([{ seq: 1, to_status: '200' }]);
  });

  it('does not give the reason of a new title to the change after it', async () => {
    const { id } = await world.ticket();
    await patch(`ticket/${id}/`, { title: 'Another', reason: 'a better one' });
    await patch(`ticket/${id}/`, { status: '200' });
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([{ reason: '' }]);
  });

  it.each([
    ['a list', ['x']],
    ['too long', 'x'.repeat(1_001)],
    ['a NUL', 'a\u0000b'],
    ['a lone surrogate', 'a\ud800b'],
  ])('takes no reason that is %s', async (_what, reason) => {
    const { id } = await world.ticket();
    const answer = await patch(`updateticketstatus/${id}/`, { ...stepOf(200), reason });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.updateticketstatus)).toEqual(['reason']);
    expect((await get(`ticket/${id}/`)).json).toMatchObject(stepOf(100));
  });

  it('keeps a reason as it was written, to its last character', async () => {
    const { id } = await world.ticket();
    const reason = `"'; DROP TABLE status_change; -- \\ \u{1F427} %s ${'x'.repeat(900)}`;
    await patch(`updateticketstatus/${id}/`, { ...stepOf(200), reason });
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([{ reason }]);
  });

  it('is read on from where a caller stands, in pages that lead on', async () => {
    const { id } = await world.ticket();
    for (const value of [200, 300, 400, 500, 999, 1000])
      await patch(`updateticketstatus/${id}/`, stepOf(value));
    const page = (query: string) => get(`ticket/${id}/history/?${query}`);
    expect(seqs((await page('after=4')).json.objects)).toEqual([5, 6]);
    expect((await page('after=6')).json).toMatchObject({ meta: { next: null }, objects: [] });
    expect((await page('after=99')).json.objects).toEqual([]);
    expect(seqs((await page('limit=2&offset=3')).json.objects)).toEqual([4, 5]);
    const walked = [];
    for (let path = `/api/v1/ticket/${id}/history/?after=1&limit=2`; path;) {
      const { json, headers } = await api.now.call('GET', path);
      expect(json.objects.length).toBeGreaterThan(0);
      expect(headers.get('link')?.includes('rel="next"') ?? false).toBe(json.meta.next !== null);
      walked.push(...seqs(json.objects));
      path = json.meta.next;
    }
    expect(walked).toEqual([2, 3, 4, 5, 6]);
    for (const query of ['after=-1', 'after=x', 'after=1.5', 'after=', 'limit=x', 'offset=-1'])
      expect({ query, status: (await page(query)).status }).toEqual({ query, status: 400 });
  });

  it('is answered 404 where there is no such ticket or subticket', async () => {
    expect(await get('ticket/999999/history/')).toMatchObject({ status: 404, text: '' });
    expect(await get('subticket/999999/history')).toMatchObject({ status: 404, text: '' });
  });
});

describe('the history of a subticket', () => {
  it("has its own changes, and the ticket's has those that they caused, by the same actor", async () => {
    const { id, subtickets } = await world.ticketOf('hello', 'mojo');
    const [one, two] = subtickets;
    const because = { reason: 'built', ...stepOf(300) };
    await patch(`updatesubticketstatus/${one.id}/`, because, { 'x-request-id': 'sub-1' });
    await patch(`updatesubticketstatus/${two.id}/`, stepOf(200), { 'x-request-id': 'sub-2' });
    expect(await changesOf(`subticket/${one.id}/`)).toMatchObject([
      {
        seq: 1,
        ticket: `/api/v1/ticket/${id}/`,
        subticket: one.resource_uri,
        from_step: '100',
        to_step: '300',
        reason: 'built',
        actor: 'anonymous',
        request_id: 'sub-1',
      },
    ]);
    expect(seqs(await changesOf(`subticket/${two.id}/`))).toEqual([2]);
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([
      {
        seq: 3,
        subticket: null,
        from_step: '100',
        to_step: '200',
        to_status: '200',
        actor: 'anonymous',
        reason: 'no subticket is before Package Building',
        request_id: 'sub-2',
      },
    ]);
  });

  it('tells which subticket failed its ticket', async () => {
    const { id, subtickets } = await world.ticketOf('hello', 'mojo');
    await patch(`subticket/${subtickets[1].id}/`, { status: 999, reason: 'it does not link' });
    expect(await changesOf(`subticket/${subtickets[1].id}/`)).toMatchObject([
      { to_step: '100', to_status: '999', reason: 'it does not link' },
    ]);
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([
      { to_step: '999', to_status: '999', reason: `subticket ${subtickets[1].id} has failed` },
    ]);
  });
});

it('what somebody changes in the database by hand has a row, too', async () => {
  const { id, subtickets } = await world.ticketOf('hello');
  const sql = (text: string) => api.now.database.sequelize.query(text, { type: QueryTypes.UPDATE });
  await sql(`UPDATE ticket SET current_workflow_step = 500 WHERE id = ${id}`);
  await sql(`UPDATE subticket SET status = 400 WHERE ticket_id = ${id}`);
  const actor = `database user ${decodeURIComponent(new URL(api.now.databaseUrl).username)}`;
  expect(await changesOf(`ticket/${id}/`)).toMatchObject([
    { seq: 1, to_step: '500', actor, reason: '', request_id: null },
  ]);
  expect(await changesOf(`subticket/${subtickets[0].id}/`)).toMatchObject([
    { seq: 2, to_status: '400', actor, reason: '', request_id: null },
  ]);
});
