import { QueryTypes } from 'sequelize';
import { readChanges, verifyChanges } from '../../../models/tickets/status-change.ts';
import type { WorkflowStep } from '../../../domain/tickets/ticket.ts';
import { addSubticket, addTicket, TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const ALL = { after: 0, limit: 1_000, offset: 0 };
const sql = (text: string) => database.now.sequelize.query(text, { type: QueryTypes.SELECT });
const verify = (limit = 100) => verifyChanges(database.now.sequelize, limit);
/** What somebody does who may do everything in the database, and whom no trigger stops. */
const tamper = (...statements: string[]) =>
  database.now.sequelize.query(
    ['BEGIN', 'SET LOCAL session_replication_role = replica', ...statements, 'COMMIT'].join(';'),
  );
const move = (id: number, step: WorkflowStep, work = TESTS) =>
  database.now.Ticket.updateOne(id, { currentWorkflowStep: step, status: step }, work);
const changesOf = async (ticketId: number) =>
  (await readChanges(database.now.sequelize, { ticketId }, ALL)).changes;

/** A ticket with changes 1 to 5, of which 3 is its subticket's. */
async function movedTicket() {
  const { id } = await addTicket(database.now);
  const subticket = await addSubticket(database.now, { id });
  await move(id, 200);
  await move(id, 300);
  await database.now.Subticket.updateOne(subticket.id, { currentWorkflowStep: 200 }, TESTS);
  await move(id, 400);
  await move(id, 500);
  return { id, subticketId: subticket.id };
}

describe('the history of a ticket', () => {
  it('has whoever changes the row in it, the API or not', async () => {
    const { id } = await addTicket(database.now);
    await move(id, 200, { actor: 'lander', reason: 'it builds', requestId: 'r-1' });
    await sql(`UPDATE ticket SET status = 999 WHERE id = ${id}`);
    const user = decodeURIComponent(new URL(database.url).username);
    expect(await changesOf(id)).toMatchObject([
      {
        seq: 1,
        actor: 'lander',
        reason: 'it builds',
        requestId: 'r-1',
        fromStep: 100,
        toStep: 200,
      },
      { seq: 2, actor: `database user ${user}`, reason: '', requestId: null, toStatus: 999 },
    ]);
  });

  it('does not tell one change by hand under the name of the one before it', async () => {
    const { id, subticketId } = await movedTicket();
    for (const table of [`ticket WHERE id = ${id}`, `subticket WHERE id = ${subticketId}`])
      expect(
        await sql(`SELECT changed_by, change_reason, change_request_id FROM ${table}`),
      ).toEqual([{ changed_by: null, change_reason: null, change_request_id: null }]);
  });

  it.each([
    ['UPDATE status_change SET actor = actor'],
    ['DELETE FROM status_change'],
    ['TRUNCATE status_change'],
    ['TRUNCATE ticket CASCADE'],
  ])('refuses %s', async (statement) => {
    await movedTicket();
    await expect(sql(statement)).rejects.toThrow('status_change is append-only');
  });

  it('outlives neither its ticket nor lets it go', async () => {
    const { id } = await addTicket(database.now);
    await move(id, 200);
    await expect(database.now.Ticket.deleteOne(id, TESTS)).rejects.toMatchObject({
      code: 'referenced',
    });
  });
});

describe('the verification of all histories', () => {
  let intact: Awaited<ReturnType<typeof verify>>;
  beforeAll(async () => {
    await Promise.all(Array.from({ length: 20 }, movedTicket));
    intact = await verify();
  });

  it('finds nothing in an intact database, and says how much it has read', async () => {
    const [counted] = await sql(
      'SELECT count(*)::integer AS changes, count(DISTINCT ticket_id)::integer AS tickets FROM status_change',
    );
    expect(intact).toEqual({ ...counted, broken: [] });
    expect(intact.tickets).toBeGreaterThanOrEqual(20);
    expect(intact.changes).toBeGreaterThanOrEqual(100);
  });

  it.each([
    [
      'an altered actor',
      (id: number) => [
        `UPDATE status_change SET actor = 'nobody' WHERE ticket_id = ${id} AND seq = 2`,
      ],
      [2, 'altered'],
    ],
    [
      'an altered step',
      (id: number) => [
        `UPDATE status_change SET to_step = 1000 WHERE ticket_id = ${id} AND seq = 4`,
      ],
      [4, 'altered'],
    ],
    [
      'an altered time',
      (id: number) => [
        `UPDATE status_change SET created_at = created_at - interval '1 microsecond' WHERE ticket_id = ${id} AND seq = 1`,
      ],
      [1, 'altered'],
    ],
    [
      'a request id where there was none',
      (id: number) => [
        `UPDATE status_change SET request_id = '' WHERE ticket_id = ${id} AND seq = 5`,
      ],
      [5, 'altered'],
    ],
    [
      'a change given to another subticket',
      (id: number) => [
        `UPDATE status_change SET subticket_id = NULL WHERE ticket_id = ${id} AND seq = 3`,
      ],
      [3, 'altered'],
    ],
    [
      'a removed row in the middle',
      (id: number) => [`DELETE FROM status_change WHERE ticket_id = ${id} AND seq = 3`],
      [3, 'removed'],
    ],
    [
      'a removed first row',
      (id: number) => [`DELETE FROM status_change WHERE ticket_id = ${id} AND seq = 1`],
      [1, 'removed'],
    ],
    [
      'a removed last row',
      (id: number) => [`DELETE FROM status_change WHERE ticket_id = ${id} AND seq = 5`],
      [5, 'removed'],
    ],
    [
      'all rows removed',
      (id: number) => [`DELETE FROM status_change WHERE ticket_id = ${id}`],
      [1, 'removed'],
    ],
    [
      'an added row, well made',
      (id: number) => [
        `INSERT INTO status_change SELECT (made).* FROM (
           SELECT jsonb_populate_record(c, jsonb_build_object('seq', 6)) AS made, c.hash AS previous
           FROM status_change c WHERE ticket_id = ${id} AND seq = 5) one`,
        `UPDATE status_change six SET hash = status_change_hash(five.hash, six) FROM status_change five
           WHERE six.ticket_id = ${id} AND six.seq = 6 AND five.ticket_id = ${id} AND five.seq = 5`,
      ],
      [6, 'added'],
    ],
    [
      'the last row made anew, with its hash',
      (id: number) => [
        `UPDATE status_change SET actor = 'nobody' WHERE ticket_id = ${id} AND seq = 5`,
        `UPDATE status_change five SET hash = status_change_hash(four.hash, five) FROM status_change four
           WHERE five.ticket_id = ${id} AND five.seq = 5 AND four.ticket_id = ${id} AND four.seq = 4`,
      ],
      [5, 'altered'],
    ],
    [
      'a step that changed without a row',
      (id: number) => [`UPDATE ticket SET current_workflow_step = 1000 WHERE id = ${id}`],
      [6, 'unrecorded'],
    ],
    [
      "a subticket's status that changed without a row",
      (id: number) => [`UPDATE subticket SET status = 1000 WHERE ticket_id = ${id}`],
      [4, 'unrecorded'],
    ],
    [
      'a ticket that is gone',
      (id: number) => [
        `DELETE FROM status_change WHERE ticket_id = ${id} AND seq > 1`,
        `DELETE FROM ticket WHERE id = ${id}`,
      ],
      [1, 'orphaned'],
    ],
  ] as const)('names %s', async (_what, statements, [seq, problem]) => {
    const { id } = await movedTicket();
    const before = (await verify()).broken;
    await tamper(...statements(id));
    const { broken } = await verify();
    expect(broken.filter(({ ticketId }) => ticketId === id)).toEqual([
      { ticketId: id, seq, problem },
    ]);
    expect(broken).toHaveLength(before.length + 1);
  });

  it('names a change without a row even after the next one that has one', async () => {
    const { id } = await movedTicket();
    await tamper(`UPDATE ticket SET status = 999 WHERE id = ${id}`);
    await move(id, 1000);
    const { broken } = await verify();
    expect(broken.filter(({ ticketId }) => ticketId === id)).toEqual([
      { ticketId: id, seq: 6, problem: 'unrecorded' },
    ]);
  });

  it('names no more than it is asked for', async () => {
    expect((await verify(2)).broken).toHaveLength(2);
  });

  it('is right while tickets change', async () => {
    const known = (await verify()).broken;
    const moved = await Promise.all(Array.from({ length: 4 }, movedTicket));
    let isMoving = true;
    const moving = Promise.all(
      moved.map(async ({ id, subticketId }) => {
        for (let index = 0; isMoving; index++) {
          const step = index % 2 === 0 ? 200 : 300;
          await move(id, step);
          await database.now.Subticket.updateOne(subticketId, { status: step }, TESTS);
        }
      }),
    );
    const counts = [];
    for (let index = 0; index < 10; index++) {
      const { changes, broken } = await verify();
      expect(broken).toEqual(known);
      counts.push(changes);
    }
    isMoving = false;
    await moving;
    expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? Infinity);
    expect((await verify()).broken).toEqual(known);
  });
});
