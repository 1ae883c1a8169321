import { Client } from 'pg';
import { createChangeNotices, type ChangeNotices } from '../../../models/events/change-notices.ts';
import { createTestDatabase } from '../../support/database.ts';

describe('the notices of changes', () => {
  let testDatabase: { url: string; drop: () => Promise<void> };
  let reader: Client;
  let writers: [Client, Client];
  let notices: ChangeNotices;

  const connect = async () => {
    const client = new Client({ connectionString: testDatabase.url });
    await client.connect();
    return client;
  };
  const note = (client: Client, id: number) =>
    client.query("INSERT INTO change_notice (kind, object_id) VALUES ('build', $1)", [id]);
  const poll = async () => (await notices.poll(reader))?.map(({ id }) => id);

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    reader = await connect();
    writers = [await connect(), await connect()];
  });
  beforeEach(() => {
    notices = createChangeNotices();
  });
  afterAll(async () => {
    await Promise.all([reader, ...writers].map((client) => client.end()));
    await testDatabase.drop();
  });

  it('are read once, from the first poll on', async () => {
    await note(writers[0], 1);
    expect(await poll()).toBeUndefined();
    await note(writers[0], 2);
    expect(await notices.poll(reader)).toEqual([{ kind: 'build', id: 2 }]);
    expect(await poll()).toEqual([]);
  });

  it('of a transaction that began first and is committed last are not lost', async () => {
    const [early, late] = writers;
    await early.query('BEGIN');
    await note(early, 1);
    expect(await poll()).toBeUndefined();
    await note(late, 2);
    expect(await poll()).toEqual([2]);
    await early.query('COMMIT');
    expect(await poll()).toEqual([1]);
    expect(await poll()).toEqual([]);
  });

  it('of a transaction that was rolled back are never read', async () => {
    await poll();
    await writers[0].query('BEGIN');
    await note(writers[0], 1);
    await writers[0].query('ROLLBACK');
    expect(await poll()).toEqual([]);
  });

  it('that are too many to tell are one word: load again', async () => {
    await poll();
    await writers[0].query(
      "INSERT INTO change_notice (kind, object_id) SELECT 'build', n FROM generate_series(1, 10001) AS n",
    );
    expect(await poll()).toBeUndefined();
    await note(writers[0], 20_000);
    expect(await poll()).toContain(20_000);
  });
});
