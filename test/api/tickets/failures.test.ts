import { QueryTypes } from 'sequelize';
import { createWorld, stepOf } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get, patch } = world;
const NONE = {
  failed_at_step: null,
  failed_part: null,
  failed_subticket: null,
  failure_reason: null,
};

/** A ticket of hello and mojo at a step. */
async function ticketAt(step: number) {
  const ticket = await world.ticketOf('hello', 'mojo');
  await patch(`updateticketstatus/${ticket.id}/`, stepOf(step));
  return ticket;
}
const shown = async ({ id }: { id: number }) => (await get(`ticket/${id}/`)).json;

describe('where a ticket failed', () => {
  it.each([
    [100, null],
    [200, 'build'],
    [300, 'build'],
    [400, 'test'],
    [500, null],
  ])('is kept when it fails by itself at %i: %s', async (step, part) => {
    const ticket = await ticketAt(step);
    expect(await shown(ticket)).toMatchObject(NONE);
    const failing = { ...stepOf(999), reason: 'the lander says so' };
    const answer = await patch(`updateticketstatus/${ticket.id}/`, failing);
    const failure = {
      failed_at_step: String(step),
      failed_part: part,
      failed_subticket: null,
      failure_reason: 'the lander says so',
    };
    expect(answer.json).toMatchObject(failure);
    expect(await shown(ticket)).toMatchObject(failure);
    expect((await get(`fullticket/${ticket.id}/`)).json).toMatchObject(failure);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(step));
    expect(await shown(ticket)).toMatchObject(NONE);
  });

  it('is not hidden by the roll-up of a subticket', async () => {
    const ticket = await ticketAt(200);
    const [, mojo] = ticket.subtickets;
    await patch(`updatesubticketstatus/${mojo.id}/`, stepOf(400));
    const failing = { ...stepOf(999), reason: 'a test failed' };
    const { json } = await patch(`updatesubticketstatus/${mojo.id}/`, failing);
    expect(json).toMatchObject({ failed_at_step: '400', failure_reason: 'a test failed' });
    expect(await shown(ticket)).toMatchObject({
      ...stepOf(999),
      failed_at_step: '400',
      failed_part: 'test',
      failed_subticket: mojo.resource_uri,
      failure_reason: 'a test failed',
    });
  });

  it('is the step that comes with the status', async () => {
    const ticket = await ticketAt(200);
    const failing = { current_workflow_step: '400', status: '999', reason: 'a test failed' };
    const failure = { failed_at_step: '400', failed_part: 'test', failure_reason: 'a test failed' };
    const { json } = await patch(`updatesubticketstatus/${ticket.subtickets[0].id}/`, failing);
    expect(json).toMatchObject({ failed_at_step: '400' });
    expect(await shown(ticket)).toMatchObject({ ...stepOf(999), ...failure });

    const other = await ticketAt(300);
    await patch(`updateticketstatus/${other.id}/`, failing);
    expect(await shown(other)).toMatchObject({ current_workflow_step: '400', ...failure });
  });

  it('is the step that is named later, of a ticket and a subticket that have failed already', async () => {
    const named = { current_workflow_step: '400', status: '999' };
    const failure = { failed_at_step: '400', failed_part: 'test', failure_reason: 'a test failed' };
    const ticket = await ticketAt(200);
    const [hello, mojo] = ticket.subtickets;
    await patch(`updatesubticketstatus/${mojo.id}/`, stepOf(999));
    const telling = { ...named, reason: 'a test failed' };
    expect((await patch(`updateticketstatus/${ticket.id}/`, telling)).json).toMatchObject({
      ...named,
      ...failure,
      failed_subticket: mojo.resource_uri,
    });
    const found = await get(`ticketstatus/?failed_at_step=400&id=${ticket.id}`);
    expect(found.json.meta.total_count).toBe(1);

    await patch(`updatesubticketstatus/${hello.id}/`, stepOf(300));
    expect(await shown(ticket)).toMatchObject({ ...stepOf(999), ...failure });
    const built = { current_workflow_step: '300', status: '999', reason: 'no image' };
    const later = { failed_at_step: '300', failure_reason: 'no image' };
    const { json } = await patch(`updatesubticketstatus/${mojo.id}/`, built);
    expect(json).toMatchObject(later);
    expect(await shown(ticket)).toMatchObject({ ...stepOf(999), ...later, failed_part: 'build' });
  });

  it('keeps its reason where a step is named later without one', async () => {
    const ticket = await ticketAt(200);
    await patch(`updateticketstatus/${ticket.id}/`, {
      ...stepOf(999),
      reason: 'the lander says so',
    });
    const named = { current_workflow_step: '400', status: '999' };
    const failure = { failed_at_step: '400', failure_reason: 'the lander says so' };
    const telling = () => patch(`updateticketstatus/${ticket.id}/`, named);
    expect((await telling()).json).toMatchObject(failure);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(999));
    expect(await shown(ticket)).toMatchObject(failure);
  });

  it('is the merge of a proposal until a step behind it is named', async () => {
    const ticket = await world.ticket();
    const { resource_uri: merge_proposal } = await world.mergeProposal();
    const ofTicket = { ticket: ticket.resource_uri, merge_proposal };
    const { id } = await world.create('subticket/', ofTicket);
    await patch(`updatesubticketstatus/${id}/`, stepOf(200));
    await patch(`updatesubticketstatus/${id}/`, stepOf(999));
    for (const [step, failed_part] of [
      ['200', 'merge'],
      ['400', 'test'],
    ]) {
      const named = { current_workflow_step: step, status: '999' };
      const { json } = await patch(`updateticketstatus/${ticket.id}/`, named);
      expect(json).toMatchObject({ failed_at_step: step, failed_part });
    }
  });

  it("is the ticket's own step for a subticket that never left Queued", async () => {
    const ticket = await ticketAt(200);
    const [hello] = ticket.subtickets;
    await patch(`updatesubticketstatus/${hello.id}/`, stepOf(999));
    expect(await shown(ticket)).toMatchObject({
      failed_at_step: '200',
      failed_part: 'build',
      failed_subticket: hello.resource_uri,
      failure_reason: `subticket ${hello.id} has failed`,
    });
  });

  it('is the subticket where neither a build nor a test was under way', async () => {
    const ticket = await ticketAt(100);
    const [hello] = ticket.subtickets;
    await patch(`subticket/${hello.id}/`, { status: '999' });
    expect(await shown(ticket)).toMatchObject({ failed_at_step: '100', failed_part: 'subticket' });
  });

  it('stays when a subticket is told once more that it is Complete', async () => {
    const ticket = await world.ticketOf('hello');
    const complete = () => patch(`updatesubticketstatus/${ticket.subtickets[0].id}/`, stepOf(1000));
    await complete();
    expect(await shown(ticket)).toMatchObject(stepOf(1000));
    const failing = { ...stepOf(999), reason: 'publishing failed' };
    await patch(`updateticketstatus/${ticket.id}/`, failing);
    await complete();
    expect(await shown(ticket)).toMatchObject({
      ...stepOf(999),
      failure_reason: 'publishing failed',
    });
    const { json } = await get(`ticket/${ticket.id}/history/`);
    expect(json.objects.map((row: { to_step: string }) => row.to_step)).toEqual(['1000', '999']);
  });

  it('ends when its last subticket becomes Complete, and the history says why', async () => {
    const ticket = await ticketAt(400);
    const [hello, mojo] = ticket.subtickets;
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(999));
    await patch(`updatesubticketstatus/${hello.id}/`, stepOf(1000));
    expect(await shown(ticket)).toMatchObject(stepOf(999));
    await patch(`updatesubticketstatus/${mojo.id}/`, stepOf(1000));
    expect(await shown(ticket)).toMatchObject(stepOf(1000));
    const [last] = (await get(`ticket/${ticket.id}/history/`)).json.objects.slice(-1);
    expect(last).toMatchObject({ from_step: '999', reason: 'no subticket is before Complete' });
  });

  it('is kept by a change of the database by hand, too', async () => {
    const ticket = await ticketAt(300);
    await api.now.database.sequelize.query(
      `UPDATE ticket SET status = 999 WHERE id = ${ticket.id}`,
      { type: QueryTypes.UPDATE },
    );
    expect(await shown(ticket)).toMatchObject({ failed_at_step: '300', failure_reason: '' });
  });

  it('finds tickets, and is nothing that callers set', async () => {
    const ticket = await ticketAt(500);
    await patch(`ticket/${ticket.id}/`, { failed_at_step: '200', failure_reason: 'x' });
    expect(await shown(ticket)).toMatchObject(NONE);
    await patch(`updateticketstatus/${ticket.id}/`, stepOf(999));
    const found = await get(`ticketstatus/?failed_at_step=500&id=${ticket.id}`);
    expect(found.json.meta.total_count).toBe(1);
    expect((await get('ticketstatus/?failed_at_step=x')).status).toBe(400);
  });
});
