import { useApi } from '../serve.ts';

const api = useApi();

const get = (path: string) => api.now.call('GET', `/api/v1/${path}`);
const patch = (path: string, body: unknown) => api.now.call('PATCH', `/api/v1/${path}`, body);
const post = (path: string, body: unknown) => api.now.call('POST', `/api/v1/${path}`, body);
const step = (value: number) => ({ current_workflow_step: String(value), status: String(value) });
const positionOf = async (id: number) => (await get(`ticket/${id}/`)).json;

/** A ticket at Package Building with a subticket of each of the packages. */
async function buildingTicket(...names: string[]) {
  const answer = await post('ticket/bundle/', {
    owner: 'dev@example.org',
    title: 'A fix',
    subtickets: names.map((name) => ({
      source_package_upload: { sourcepackage: { name }, version: '1' },
    })),
  });
  expect(answer.status).toBe(201);
  await patch(`updateticketstatus/${answer.json.id}/`, step(200));
  return answer.json;
}
const add = (ticket: { id: number }, name: string, version = '2') =>
  post('subticket/', {
    ticket: `/api/v1/ticket/${ticket.id}/`,
    source_package_upload: { sourcepackage: { name }, version },
  });
const fail = (subticket: { id: number }) =>
  patch(`updatesubticketstatus/${subticket.id}/`, step(999));

describe('a subticket that failed', () => {
  it('fails its ticket, and is replaced by one of the same source package', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello] = ticket.subtickets;
    await fail(hello);
    expect(await positionOf(ticket.id)).toMatchObject(step(999));
    const replacement = await add(ticket, 'hello');
    expect(replacement.status).toBe(201);
    expect(replacement.json).toMatchObject({ ...step(100), replaced_by: null });
    expect((await get(`subticket/${hello.id}/`)).json).toMatchObject({
      ...step(999),
      replaced_by: replacement.json.resource_uri,
    });
    expect((await get(`fullticket/${ticket.id}/`)).json.subtickets).toHaveLength(3);
    expect(await positionOf(ticket.id)).toMatchObject(step(999));
  });

  it('counts no more for its ticket once it is replaced', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello, mojo] = ticket.subtickets;
    await fail(hello);
    const replacement = (await add(ticket, 'hello')).json;
    await patch(`updateticketstatus/${ticket.id}/`, step(200));
    await patch(`updatesubticketstatus/${replacement.id}/`, step(400));
    expect(await positionOf(ticket.id)).toMatchObject(step(200));
    await patch(`updatesubticketstatus/${mojo.id}/`, step(300));
    expect(await positionOf(ticket.id)).toMatchObject(step(300));
    await fail(replacement);
    expect(await positionOf(ticket.id)).toMatchObject(step(999));
  });

  it('is replaced once; its replacement, when that fails, is replaced in turn', async () => {
    const ticket = await buildingTicket('hello');
    await fail(ticket.subtickets[0]);
    const second = (await add(ticket, 'hello', '2')).json;
    const early = await add(ticket, 'hello', '3');
    expect(early.status).toBe(409);
    expect(early.json).toMatchObject({ code: 'conflict' });
    await fail(second);
    expect((await add(ticket, 'hello', '3')).status).toBe(201);
    expect((await get(`fullticket/${ticket.id}/`)).json.subtickets).toMatchObject([
      { replaced_by: second.resource_uri },
      { replaced_by: expect.any(String) },
      { replaced_by: null },
    ]);
  });

  it('is replaced once by many who come at once', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    await fail(ticket.subtickets[0]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => add(ticket, 'hello', String(index + 2))),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([201, ...Array<number>(9).fill(409)]);
    expect((await get(`fullticket/${ticket.id}/`)).json.subtickets).toHaveLength(3);
  });

  it('is failed by its status, too', async () => {
    const ticket = await buildingTicket('hello');
    await patch(`subticket/${ticket.subtickets[0].id}/`, { status: '999' });
    expect((await add(ticket, 'hello')).status).toBe(201);
  });

  it('makes no place for another source package, nor for one that has not failed', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    await fail(ticket.subtickets[0]);
    for (const name of ['another', 'mojo']) {
      const answer = await add(ticket, name);
      expect(answer.status).toBe(409);
      expect(answer.json.error).toContain('in place of a failed one of the same source package');
    }
    expect((await get('sourcepackage/?name=another')).json.meta.total_count).toBe(0);
  });

  it('is not replaced in another ticket', async () => {
    const [failed, other] = [await buildingTicket('hello'), await buildingTicket('hello')];
    await fail(failed.subtickets[0]);
    expect((await add(other, 'hello')).status).toBe(409);
  });

  it('is not replaced in a ticket that is Complete', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    await fail(ticket.subtickets[0]);
    await patch(`updateticketstatus/${ticket.id}/`, step(1000));
    const answer = await add(ticket, 'hello');
    expect(answer.status).toBe(409);
    expect(answer.json.error).toContain('Complete');
    expect(await positionOf(ticket.id)).toMatchObject(step(1000));
  });

  it('is replaced after a build was requested, too', async () => {
    const ticket = await buildingTicket('hello');
    const build = await api.now.call('POST', '/api/v1/build_source', {
      ticket_id: ticket.id,
      source_packages: [`${api.now.url}/store/uploads/hello_1/hello_1_source.changes`],
      series: 'noble',
      ppa: 'owner/name',
      progress_trigger: 'queue',
    });
    expect(build.status).toBe(202);
    expect((await add(ticket, 'hello')).status).toBe(409);
    await fail(ticket.subtickets[0]);
    expect((await add(ticket, 'hello')).status).toBe(201);
  });
});

describe('a ticket at Queued', () => {
  it('takes subtickets of every source package, and of one that is there already', async () => {
    const ticket = await buildingTicket('hello');
    await patch(`updateticketstatus/${ticket.id}/`, step(100));
    expect((await add(ticket, 'hello')).status).toBe(201);
    expect((await add(ticket, 'mojo')).status).toBe(201);
    expect((await get(`subticket/${ticket.subtickets[0].id}/`)).json.replaced_by).toBeNull();
  });

  it('goes on without a subticket that had failed and was added anew', async () => {
    const ticket = await buildingTicket('hello');
    await fail(ticket.subtickets[0]);
    await patch(`updateticketstatus/${ticket.id}/`, step(100));
    const replacement = (await add(ticket, 'hello')).json;
    await patch(`updatesubticketstatus/${replacement.id}/`, step(200));
    expect(await positionOf(ticket.id)).toMatchObject(step(200));
  });
});
