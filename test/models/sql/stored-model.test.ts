import { addTicket, TESTS } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const TICKET = { owner: 'dev@example.org', title: 'A fix', description: '', bugId: '' };

describe('a new row', () => {
  it('takes the next id behind all those that its callers chose before it', async () => {
    const first = await addTicket(database.now);
    // As who moves the tickets of another server does: by PUT, under the ids that they had.
    for (let id = first.id + 1; id <= first.id + 250; id++)
      await database.now.Ticket.createOne({ ...TICKET, id }, TESTS);
    expect((await addTicket(database.now)).id).toBe(first.id + 251);
    expect((await addTicket(database.now)).id).toBe(first.id + 252);
  });

  it('leaves no ids out for one far away', async () => {
    const { id } = await addTicket(database.now);
    await database.now.Ticket.createOne({ ...TICKET, id: id + 2 }, TESTS);
    await database.now.Ticket.createOne({ ...TICKET, id: 2_147_483_647 }, TESTS);
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push((await addTicket(database.now)).id);
    expect(ids).toEqual([id + 1, id + 3, id + 4]);
  });

  it('has an id of its own when many are added at once where ids are taken', async () => {
    const { id: start } = await addTicket(database.now);
    for (let id = start + 1; id <= start + 40; id += 2)
      await database.now.Ticket.createOne({ ...TICKET, id }, TESTS);
    const made = await Promise.all(Array.from({ length: 40 }, () => addTicket(database.now)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(40);
  });

  it('is the one that is there where its name is taken, and is refused where its id is', async () => {
    const first = await database.now.SourcePackage.createOne({ name: 'once' }, TESTS);
    const found = await database.now.SourcePackage.findOrCreateOne({ name: 'once' }, TESTS);
    expect(found.get()).toEqual(first.get());
    await expect(
      database.now.SourcePackage.createOne({ name: 'once' }, TESTS),
    ).rejects.toMatchObject({
      existingId: first.id,
    });
    await expect(
      database.now.SourcePackage.createOne({ name: 'another', id: first.id }, TESTS),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('a change', () => {
  it('is refused, and says so, where another row has the name', async () => {
    const [one, two] = [
      await database.now.SourcePackage.createOne({ name: 'one' }, TESTS),
      await database.now.SourcePackage.createOne({ name: 'two' }, TESTS),
    ];
    await expect(
      database.now.SourcePackage.updateOne(two.id, { name: 'one' }, TESTS),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: 'Another has this name already.',
    });
    expect(
      await database.now.SourcePackage.updateOne(two.id, { name: 'two' }, TESTS),
    ).toMatchObject({
      revision: 2,
    });
    const same = await database.now.SourcePackage.updateOne(one.id, {}, TESTS);
    expect(same?.get()).toEqual(one.get());
  });
});
