import { atomically } from '../../../models/sql/transactions.ts';
import { addTicket, TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

describe('changes that hold together', () => {
  it('begin again where they had to give way in a deadlock', async () => {
    const [one, two] = [await addTicket(database.now), await addTicket(database.now)];
    let holders = 0;
    let both = () => {};
    const bothHold = new Promise<void>((resolve) => (both = resolve));
    let attempts = 0;
    const change = async (ids: readonly number[], title: string) =>
      atomically(database.now.sequelize, TESTS, async (within) => {
        attempts += 1;
        for (const id of ids) {
          await database.now.Ticket.updateOne(id, { title }, within);
          if (++holders === 2) both();
          await bothHold;
        }
      });
    await Promise.all([change([one.id, two.id], 'there'), change([two.id, one.id], 'and back')]);
    // The one that begins again may meet the other one anew.
    expect(attempts).toBeGreaterThanOrEqual(3);
    const titles = await Promise.all(
      [one, two].map(async ({ id }) => (await database.now.Ticket.findByPk(id))?.title),
    );
    expect(titles[0]).toBe(titles[1]);
    for (const { id } of [one, two])
      expect(await database.now.Ticket.findByPk(id)).toMatchObject({ revision: 3 });
  });

  it('do not begin again for another reason, and leave nothing', async () => {
    const { id } = await addTicket(database.now);
    let attempts = 0;
    const change = atomically(database.now.sequelize, TESTS, async (within) => {
      attempts += 1;
      await database.now.Ticket.updateOne(id, { title: 'Half' }, within);
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect(attempts).toBe(1);
    expect(await database.now.Ticket.findByPk(id)).toMatchObject({ title: 'A fix', revision: 1 });
  });
});
