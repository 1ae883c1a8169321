import { SourcePackage } from '../../models/source-package.ts';
import { Ticket } from '../../models/ticket.ts';
import { newTicket, WORK } from './new-build.ts';
import { useDatabase } from './use-database.ts';

useDatabase();

const TICKET = { owner: 'dev@example.org', title: 'A fix', description: '', bugId: '' };

describe('a new row', () => {
  it('takes the next id behind all those that its callers chose before it', async () => {
    const first = await newTicket();
    // As who moves the tickets of another server does: by PUT, under the ids that they had.
    for (let id = first.id + 1; id <= first.id + 250; id++)
      await Ticket.add({ ...TICKET, id }, WORK);
    expect((await newTicket()).id).toBe(first.id + 251);
    expect((await newTicket()).id).toBe(first.id + 252);
  });

  it('leaves no ids out for one far away', async () => {
    const { id } = await newTicket();
    await Ticket.add({ ...TICKET, id: id + 2 }, WORK);
    await Ticket.add({ ...TICKET, id: 2_147_483_647 }, WORK);
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push((await newTicket()).id);
    expect(ids).toEqual([id + 1, id + 3, id + 4]);
  });

  it('has an id of its own when many are added at once where ids are taken', async () => {
    const { id: start } = await newTicket();
    for (let id = start + 1; id <= start + 40; id += 2) await Ticket.add({ ...TICKET, id }, WORK);
    const made = await Promise.all(Array.from({ length: 40 }, newTicket));
    expect(new Set(made.map(({ id }) => id)).size).toBe(40);
  });

  it('of a name that is taken is that row, and another of its own id is none', async () => {
    const first = await SourcePackage.add({ name: 'once' }, WORK);
    expect(await SourcePackage.findOrAdd({ name: 'once' }, WORK)).toEqual(first);
    await expect(SourcePackage.add({ name: 'once' }, WORK)).rejects.toMatchObject({
      existingId: first.id,
    });
    await expect(SourcePackage.add({ name: 'another', id: first.id }, WORK)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('a change', () => {
  it('to a name that another row has is refused, and says so', async () => {
    const [one, two] = [
      await SourcePackage.add({ name: 'one' }, WORK),
      await SourcePackage.add({ name: 'two' }, WORK),
    ];
    await expect(SourcePackage.revise(two.id, { name: 'one' }, WORK)).rejects.toMatchObject({
      code: 'conflict',
      message: 'Another has this name already.',
    });
    expect(await SourcePackage.revise(two.id, { name: 'two' }, WORK)).toMatchObject({
      revision: 2,
    });
    expect(await SourcePackage.revise(one.id, {}, WORK)).toEqual(one);
  });
});
