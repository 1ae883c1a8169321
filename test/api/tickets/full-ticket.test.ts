import { Model } from 'sequelize';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

/** A full ticket with so many subtickets, each with an artifact, and how often a column of a row was read for it. */
async function readTicketOf(count: number) {
  const ticket = await world.ticketOf(world.newName());
  const { sequelize } = api.now.database;
  await sequelize.query(
    `INSERT INTO subticket (ticket_id, source_package_upload_id, assignee)
       SELECT ticket_id, source_package_upload_id, assignee
       FROM subticket, generate_series(2, ${count}) WHERE ticket_id = ${ticket.id};
     INSERT INTO subticket_artifact (subticket_id, name, reference, type)
       SELECT id, 'log of ' || id, 'http://127.0.0.1:9000/files/log', 'LOGS'
       FROM subticket WHERE ticket_id = ${ticket.id} ORDER BY id DESC`,
  );
  const reads = jest.spyOn(Model.prototype, 'get');
  const { json } = await world.get(`fullticket/${ticket.id}/`);
  const { length: readCount } = reads.mock.calls;
  reads.mockRestore();
  return { subtickets: json.subtickets, readCount };
}

it('gives each subticket its own artifacts, in work that grows as their number does', async () => {
  const few = await readTicketOf(20);
  const many = await readTicketOf(200);
  expect(many.subtickets).toHaveLength(200);
  for (const { id, artifacts } of many.subtickets)
    expect(artifacts).toMatchObject([{ name: `log of ${id}` }]);
  expect(few.readCount).toBeGreaterThan(20);
  expect(many.readCount).toBeLessThanOrEqual(10 * few.readCount);
});
