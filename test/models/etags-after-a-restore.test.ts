import { query } from '../../models/sql/query.ts';
import { addTicket } from '../support/rows.ts';
import { BACKUPS, restore } from './restore.ts';
import { useDatabase } from './use-database.ts';

const CONTEXT = { actor: 'tests' };

describe.each(BACKUPS)('the ETags of rows after a restore of a backup "%s"', (backup) => {
  const database = useDatabase();

  it('are none that callers know from after the backup', async () => {
    const { Ticket, sequelize } = database.now;
    const { id } = await addTicket(database.now);
    const history = () => query(sequelize, 'SELECT * FROM status_change ORDER BY seq');
    const before = await history();

    await restore(database.now, backup);

    expect(await history()).toEqual(before);
    // Of what is lost, its caller has the ETag of the next change.
    const change = { title: 'Another' };
    await expect(Ticket.updateOne(id, change, { ...CONTEXT, ifRevision: [2] })).rejects.toThrow(
      'It is at revision',
    );
    expect((await Ticket.updateOne(id, change, CONTEXT))?.revision).toBeGreaterThan(1_000);
  });

  it('leave no notice of their change, which no page has to be told', async () => {
    await addTicket(database.now);
    await restore(database.now, backup);
    expect(await query(database.now.sequelize, 'SELECT * FROM change_notice')).toEqual([]);
  });

  it('are none that rows have, or had, where a caller chooses the id of a new one', async () => {
    const { Ticket, sequelize } = database.now;
    const { id, ...values } = (await addTicket(database.now)).get();
    const add = (chosen: number) => Ticket.createOne({ ...values, id: chosen }, CONTEXT);
    await add(id + 1_000);
    await restore(database.now, backup);
    const [{ highest } = { highest: 0 }] = await query<{ highest: number }>(
      sequelize,
      'SELECT max(revision) AS highest FROM ticket',
    );
    expect((await add(id + 1_001)).revision).toBeGreaterThan(highest);
  });

  it('are others in every table that counts the changes of its rows', async () => {
    const { sequelize } = database.now;
    const tables = await query<{ name: string }>(
      sequelize,
      "SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attname = 'revision' AND relkind = 'r'",
    );
    expect(tables.length).toBeGreaterThan(10);
    const statements = jest.spyOn(sequelize, 'query');
    await restore(database.now, backup);
    const texts = (statements.mock.calls as unknown as [string][]).map(([text]) => text);
    statements.mockRestore();
    for (const { name } of tables)
      expect(texts).toContainEqual(expect.stringMatching(`UPDATE ${name} SET revision = `));
  });
});
