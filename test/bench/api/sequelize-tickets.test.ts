import { countHistory, makeDatabase, readIds } from '../../../bench/api/seed.ts';
import { openSequelizeTickets } from '../../../bench/api/sequelize-tickets.ts';
import { createTestDatabase } from '../../support/database.ts';

const NEW = { owner: 'a@example.com', title: 't', description: 'd', bug_id: '1' };

describe.each([false, true])('tickets through Sequelize, prepared: %s', (prepared) => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url, drop } = await createTestDatabase());
    await makeDatabase(url, { open: 30, closed: 0 });
  });
  afterAll(() => drop());

  it('are read and written as the peer does, and the trigger writes the history', async () => {
    const tickets = openSequelizeTickets(url, { prepared });
    const [id] = (await readIds(url, 1)).open as [number];

    const moved = await tickets.move(id, { current_workflow_step: 300, status: 300 });
    const made = await tickets.create(NEW);

    expect(JSON.parse(moved)).toMatchObject({ id, current_workflow_step: '300', status: '300' });
    expect(made.id).toBe(31);
    expect(JSON.parse(await tickets.detail(31))).toEqual(JSON.parse(made.json));
    const list = JSON.parse(await tickets.list(20, 0)) as { meta: object; objects: object[] };
    expect(list.meta).toMatchObject({ total_count: 31, previous: null });
    expect(list.objects).toHaveLength(20);
    expect(await countHistory(url, 'status_change')).toBe(1);
    await tickets.close();
  });
});
