import { Client } from 'pg';
import { openRawTickets } from '../../../bench/api/raw-tickets.ts';
import { countHistory, makeDatabase, readIds } from '../../../bench/api/seed.ts';
import { createTestDatabase } from '../../support/database.ts';

const TICKETS = { open: 100, closed: 900 };

describe('the database of the measurement', () => {
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url, drop } = await createTestDatabase());
    await makeDatabase(url, TICKETS);
  });
  afterAll(() => drop());

  it('has its open tickets among the newest, with stragglers among the old', async () => {
    const { open, all } = await readIds(url, 5_000);

    expect(all).toHaveLength(1_000);
    expect(open).toHaveLength(TICKETS.open);
    const newest = open.filter((id) => id > 1_000 - 98 * 1.5);
    expect(newest).toHaveLength(98);
    expect(open.filter((id) => !newest.includes(id)).toSorted((a, b) => a - b)).toEqual([426, 852]);
    expect(newest).not.toEqual(newest.toSorted((a, b) => a - b));
  });

  it('has all tickets open where none is closed', async () => {
    const other = await createTestDatabase();
    await makeDatabase(other.url, { open: 30, closed: 0 });

    expect((await readIds(other.url, 100)).open).toHaveLength(30);
    await other.drop();
  });

  it('has the same tickets for the peer, whose changes leave Airline’s alone', async () => {
    const differences = `(TABLE ticket EXCEPT TABLE raw_ticket) UNION ALL (TABLE raw_ticket EXCEPT TABLE ticket)`;
    expect(await select(differences)).toEqual([]);
    const raw = openRawTickets(url);
    const [id] = (await readIds(url, 1)).open as [number];

    const moved = await raw.move(id, { current_workflow_step: 300, status: 300 });
    await raw.move(id, { current_workflow_step: 300, status: 300 });
    const made = await raw.create({
      owner: 'a@example.com',
      title: 't',
      description: 'd',
      bug_id: '1',
    });

    expect(JSON.parse(moved)).toMatchObject({ id, current_workflow_step: '300', status: '300' });
    expect(made.id).toBe(1_001);
    expect(JSON.parse(await raw.detail(1_001))).toEqual(JSON.parse(made.json));
    const list = JSON.parse(await raw.list(20, 0)) as { meta: object; objects: { id: number }[] };
    expect(list.meta).toMatchObject({ total_count: 101, previous: null });
    expect(list.objects).toHaveLength(20);
    expect(await countHistory(url, 'status_change')).toBe(0);
    expect(await countHistory(url, 'raw_status_change')).toBe(1);
    expect(
      await select(`SELECT ticket_id, seq, to_step, to_status FROM raw_status_change`),
    ).toEqual([{ ticket_id: id, seq: 1, to_step: 300, to_status: 300 }]);
    await raw.close();
  });

  it('has nobody connected whose tickets are closed', async () => {
    const raw = openRawTickets(url);
    const watcher = new Client({ connectionString: url });
    await watcher.connect();
    await Promise.all(Array.from({ length: 8 }, () => raw.list(20, 0)));

    await raw.close();

    // PostgreSQL's own autovacuum may be at work here.
    const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend'`;
    expect((await watcher.query(others)).rows).toEqual([]);
    await watcher.end();
  });

  async function select(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
});
