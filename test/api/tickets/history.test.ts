import { QueryTypes } from 'sequelize';
import { useApi } from '../serve.ts';

const api = useApi();

const get = (path: string) => api.now.call('GET', `/api/v1/${path}`);
const patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.now.call('PATCH', `/api/v1/${path}`, body, headers);
const created = async (path: string, body: unknown) => {
  const answer = await api.now.call('POST', `/api/v1/${path}`, body);
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.json;
};
const step = (value: number) => ({ current_workflow_step: String(value), status: String(value) });
const changesOf = async (path: string) => (await get(`${path}history/`)).json.objects;
const seqs = (changes: { seq: number }[]) => changes.map(({ seq }) => seq);

/** A ticket with some subtickets. */
async function newTicket(subtickets = 0) {
  const upload = (index: number) => ({ sourcepackage: { name: `part-${index}` }, version: '1' });
  return created('ticket/bundle/', {
    owner: 'dev@example.org',
    title: 'A fix',
    subtickets: Array.from({ length: subtickets }, (_, index) => ({
      source_package_upload: upload(index),
    })),
  });
}

describe('the history of a ticket', () => {
  it('has a row for each change of step or status: who, when, from, to, why, by which request', async () => {
    const { id } = await newTicket();
    const before = Date.now();
    const first = { ...step(200), reason: 'the build begins' };
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

  it('has none for what changes nothing, for a new title, and for what was refused', async () => {
    const { id } = await newTicket();
    await patch(`updateticketstatus/${id}/`, step(100));
    await patch(`ticket/${id}/`, { title: 'Another', reason: 'a better one' });
    await patch(`ticket/${id}/`, { status: '150' });
    await patch(`ticket/${id}/`, { status: '200' }, { 'if-match': '"77"' });
    expect(await changesOf(`ticket/${id}/`)).toEqual([]);
    await patch(`ticket/${id}/`, { status: '200', title: 'A third' });
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([{ seq: 1, to_status: '200' }]);
  });

  it('does not give the reason of a new title to the change after it', async () => {
    const { id } = await newTicket();
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
    const { id } = await newTicket();
    const answer = await patch(`updateticketstatus/${id}/`, { ...step(200), reason });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.updateticketstatus)).toEqual(['reason']);
    expect((await get(`ticket/${id}/`)).json).toMatchObject(step(100));
  });

  it('keeps a reason as it was written, to its last character', async () => {
    const { id } = await newTicket();
    const reason = `"'; DROP TABLE status_change; -- \\ \u{1F427} %s ${'x'.repeat(900)}`;
    await patch(`updateticketstatus/${id}/`, { ...step(200), reason });
    expect(await changesOf(`ticket/${id}/`)).toMatchObject([{ reason }]);
  });

  it('is read on from where a caller stands, in pages that lead on', async () => {
    const { id } = await newTicket();
    for (const value of [200, 300, 400, 500, 999, 1000])
      await patch(`updateticketstatus/${id}/`, step(value));
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

  it('is 404 for no ticket', async () => {
    expect(await get('ticket/999999/history/')).toMatchObject({ status: 404, text: '' });
    expect(await get('subticket/999999/history')).toMatchObject({ status: 404, text: '' });
  });
});

describe('the history of a subticket', () => {
  it("has its own changes, and the ticket's has those that they caused, by the same actor", async () => {
    const { id, subtickets } = await newTicket(2);
    const [one, two] = subtickets;
    const because = { reason: 'built', ...step(300) };
    await patch(`updatesubticketstatus/${one.id}/`, because, { 'x-request-id': 'sub-1' });
    await patch(`updatesubticketstatus/${two.id}/`, step(200), { 'x-request-id': 'sub-2' });
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
    const { id, subtickets } = await newTicket(2);
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
  const { id, subtickets } = await newTicket(1);
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
