import { createWorld, stepOf } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, patch, post } = world;
const positionOf = async (id: number) => (await get(`ticket/${id}/`)).json;

/** A ticket at Package Building with a subticket of each of the packages. */
async function buildingTicket(...names: string[]) {
  const ticket = await world.ticketOf(...names);
  await patch(`updateticketstatus/${ticket.id}/`, stepOf(200));
  return ticket;
}
const add = (ticket: { id: number }, name: string, version = '2') =>
  post('subticket/', {
    ticket: `/api/v1/ticket/${ticket.id}/`,
    source_package_upload: { sourcepackage: { name }, version },
  });
const fail = (subticket: { id: number }) =>
  patch(`updatesubticketstatus/${subticket.id}/`, stepOf(999));

describe('a subticket that failed', () => {
  it('fails its ticket, and is replaced by one of the same source package', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello] = ticket.subtickets;
    await fail(hello);
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(999));
    const replacement = await add(ticket, 'hello');
    expect(replacement.status).toBe(201);
    expect(replacement.json).toMatchObject({ ...stepOf(100), replaced_by: null });
    expect((await get(`subticket/${hello.id}/`)).json).toMatchObject({
      ...stepOf(999),
      replaced_by: replacement.json.resource_uri,
    });
    expect((await get(`fullticket/${ticket.id}/`)).json.subtickets).toHaveLength(3);
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(100));
    const [reopened] = (await get(`ticket/${ticket.id}/history/`)).json.objects.slice(-1);
    expect(reopened).toMatchObject({ reason: 'no subticket counts as failed any more' });
  });

  it('leaves its ticket Complete when all that stand are', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello, mojo] = ticket.subtickets;
    await fail(hello);
    const replacement = (await add(ticket, 'hello')).json;
    await patch(`updatesubticketstatus/${mojo.id}/`, stepOf(1000));
    await patch(`updatesubticketstatus/${replacement.id}/`, stepOf(1000));
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(1000));
  });

  it('keeps its ticket Failed as long as another has failed, which is named then', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello, mojo] = ticket.subtickets;
    await fail(hello);
    await fail(mojo);
    expect(await positionOf(ticket.id)).toMatchObject({ failed_subticket: hello.resource_uri });
    await add(ticket, 'hello');
    expect(await positionOf(ticket.id)).toMatchObject({
      ...stepOf(999),
      failed_subticket: mojo.resource_uri,
    });
    await add(ticket, 'mojo');
    expect(await positionOf(ticket.id)).toMatchObject({ ...stepOf(100), failed_subticket: null });
  });

  it('is named by a ticket that was Failed before it, and opens it again when it is replaced', async () => {
    const ticket = await buildingTicket('hello');
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(999));
    expect(await positionOf(ticket.id)).toMatchObject({ failed_subticket: null });
    await fail(ticket.subtickets[0]);
    expect(await positionOf(ticket.id)).toMatchObject({
      failed_at_step: '200',
      failed_subticket: ticket.subtickets[0].resource_uri,
    });
    await add(ticket, 'hello');
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(100));
  });

  it('opens its ticket again when it is set back, too', async () => {
    const ticket = await buildingTicket('hello');
    await fail(ticket.subtickets[0]);
    await patch(`updatesubticketstatus/${ticket.subtickets[0].id}/`, stepOf(200));
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(200));
  });

  it('counts no more for its ticket once it is replaced', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello, mojo] = ticket.subtickets;
    await fail(hello);
    const replacement = (await add(ticket, 'hello')).json;
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(200));
    await patch(`updatesubticketstatus/${replacement.id}/`, stepOf(400));
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(200));
    await patch(`updatesubticketstatus/${mojo.id}/`, stepOf(300));
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(300));
    await fail(replacement);
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(999));
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

  it('makes no place for a source package that another subticket stands for', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    await fail(ticket.subtickets[0]);
    const answer = await add(ticket, 'mojo', '9');
    expect(answer.status).toBe(409);
    expect(answer.json.error).toContain('in place of a failed one, of a source package that no');
    expect((await get('spu/?version=9&sourcepackage__name=mojo')).json.meta.total_count).toBe(0);
  });

  it('is replaced by another source package, the one that came first before others', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    const [hello, mojo] = ticket.subtickets;
    await fail(mojo);
    await fail(hello);
    const another = await add(ticket, 'another');
    expect(another.status).toBe(201);
    expect((await get(`subticket/${hello.id}/`)).json.replaced_by).toBe(another.json.resource_uri);
    expect((await add(ticket, 'a-third')).status).toBe(201);
    expect((await add(ticket, 'a-fourth')).status).toBe(409);
    expect((await get('sourcepackage/?name=a-fourth')).json.meta.total_count).toBe(0);
  });

  it('is not replaced in another ticket', async () => {
    const [failed, other] = [await buildingTicket('hello'), await buildingTicket('hello')];
    await fail(failed.subtickets[0]);
    expect((await add(other, 'hello')).status).toBe(409);
  });

  it('is not replaced in a ticket that is Complete', async () => {
    const ticket = await buildingTicket('hello', 'mojo');
    await fail(ticket.subtickets[0]);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(1000));
    const answer = await add(ticket, 'hello');
    expect(answer.status).toBe(409);
    expect(answer.json.error).toContain('Complete');
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(1000));
  });

  it('is replaced after a build was requested, too', async () => {
    const ticket = await buildingTicket('hello');
    await world.build(ticket);
    expect((await add(ticket, 'hello')).status).toBe(409);
    await fail(ticket.subtickets[0]);
    expect((await add(ticket, 'hello')).status).toBe(201);
  });
});

describe('a subticket that is being landed', () => {
  it('is not replaced, though it is set to Failed meanwhile, until the landing has ended', async () => {
    const ticket = await world.landable('hello');
    const place = { series: 'bookworm', target: 'ppa:airline/landed', archive: 'debian' };
    const { json: landing } = await post(`ticket/${ticket.id}/land/`, {
      ...place,
      ppa: 'ppa:airline/silo',
    });
    const [hello] = ticket.subtickets;
    await fail(hello);
    expect(await add(ticket, 'hello')).toMatchObject({
      status: 409,
      json: {
        code: 'ticket_under_way',
        error: `Landing ${landing.id} of ticket ${ticket.id} is under way, so subticket ${hello.id} is not replaced.`,
      },
    });
    expect((await get(`fullticket/${ticket.id}/`)).json.subtickets).toHaveLength(1);
    await api.now.database.LandingEvent.record({
      landingId: landing.id,
      attempt: 1,
      key: 'its end',
      phase: 'failed',
    });
    expect((await add(ticket, 'hello')).status).toBe(201);
  });
});

describe('a ticket at Queued', () => {
  it('takes subtickets of every source package, and of one that is there already', async () => {
    const ticket = await buildingTicket('hello');
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(100));
    expect((await add(ticket, 'hello')).status).toBe(201);
    expect((await add(ticket, 'mojo')).status).toBe(201);
    expect((await get(`subticket/${ticket.subtickets[0].id}/`)).json.replaced_by).toBeNull();
  });

  it('goes on without a subticket that had failed and was added anew', async () => {
    const ticket = await buildingTicket('hello');
    await fail(ticket.subtickets[0]);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(100));
    const replacement = (await add(ticket, 'hello')).json;
    await patch(`updatesubticketstatus/${replacement.id}/`, stepOf(200));
    expect(await positionOf(ticket.id)).toMatchObject(stepOf(200));
  });
});
