import { randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../models/sql/advisory-locks.ts';
import { describeSchema } from '../../models/sql/describe-schema.ts';
import { migrate } from '../../models/sql/migrate.ts';
import { query } from '../../models/sql/query.ts';
import { createTestDatabase } from '../support/database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { useDatabase } from './use-database.ts';

const database = useDatabase();
const LATER_THAN_0_2_0 = '0013';

describe('the migrations', () => {
  it('come to the schema that models/schema.sql shows (`npm run schema` writes it)', async () => {
    const dump = await readFile('models/schema.sql', 'utf8');
    expect(`${await describeSchema(database.url)}\n`).toBe(dump);
  });

  it('have nothing left to do on a migrated database', async () => {
    expect(await migrate(database.url)).toEqual([]);
  });

  /** Migrates a database of 0.2.0 that has some rows, and looks at what has become of them. */
  async function upgradeFrom020(
    fill: (client: Client) => Promise<unknown>,
    look: (client: Client) => Promise<void>,
  ) {
    const old = temporaryDirectory();
    const names = (await readdir('migrations')).filter((name) => name < LATER_THAN_0_2_0);
    for (const name of names) await copyFile(join('migrations', name), join(old, name));
    const { url, drop } = await createTestDatabase();
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      expect(await migrate(url, old)).toEqual(names.toSorted());
      await fill(client);
      await migrate(url);
      await look(client);
    } finally {
      await client.end();
      await drop();
    }
  }

  it('bring a database of 0.2.0 here that has the longest version that could be given', async () => {
    // PostgreSQL does not compress it, as it does most long texts.
    const version = randomBytes(3_072).toString('base64url');
    await upgradeFrom020(
      async (client) => {
        await client.query("INSERT INTO source_package (name) VALUES ('hello')");
        await client.query(
          'INSERT INTO source_package_upload (source_package_id, version) VALUES (1, $1)',
          [version],
        );
      },
      async (client) => {
        const { rows } = await client.query('SELECT version FROM source_package_upload');
        expect(rows).toEqual([{ version }]);
      },
    );
  });

  it('take from a reason of 0.2.0 which subticket failed, where the ticket has it', async () => {
    const reasons = [
      'subticket 1 has failed',
      'subticket 2 has failed',
      'subticket 3 has failed',
      'subticket 9999999999 has failed',
    ];
    await upgradeFrom020(
      async (client) => {
        await client.query(`
          INSERT INTO source_package (name) VALUES ('hello');
          INSERT INTO source_package_upload (source_package_id, version) VALUES (1, '2.10-3');
          INSERT INTO ticket (owner, title) SELECT 'jane', 'A ticket' FROM generate_series(1, 4);
          INSERT INTO subticket (ticket_id, source_package_upload_id) VALUES (1, 1), (1, 1)`);
        for (const [at, reason] of reasons.entries())
          await client.query(
            'UPDATE ticket SET current_workflow_step = 999, change_reason = $2 WHERE id = $1',
            [at + 1, reason],
          );
      },
      async (client) => {
        const { rows } = await client.query(
          'SELECT failed_subticket_id AS subticket, failure_reason AS reason FROM ticket ORDER BY id',
        );
        expect(rows).toEqual(
          reasons.map((reason, at) => ({ subticket: at === 0 ? 1 : null, reason })),
        );
      },
    );
  });

  it('give every foreign key that changes rows by itself an index to find them by', async () => {
    const unserved = await query(
      database.now.sequelize,
      `SELECT key.conrelid::regclass::text AS "table", pg_get_constraintdef(key.oid) AS key
       FROM pg_constraint key
       WHERE key.contype = 'f' AND key.confdeltype IN ('c', 'n', 'd')
         AND NOT EXISTS (
           SELECT FROM pg_index one
           WHERE one.indrelid = key.conrelid
             AND key.conkey @> one.indkey[0:cardinality(key.conkey) - 1]
             AND (one.indpred IS NULL
               OR pg_get_expr(one.indpred, one.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))
       ORDER BY 1, 2`,
    );
    expect(unserved).toEqual([]);
  });

  it('give every table the columns that its model has, and those that only triggers use', async () => {
    const others: Record<string, string[]> = { ticket: ['history_hash', 'history_seq'] };
    for (const model of Object.values(database.now.sequelize.models)) {
      const columns = Object.keys(
        await database.now.sequelize.getQueryInterface().describeTable(model.tableName),
      );
      const fields = Object.values(model.getAttributes()).map(({ field }) => String(field));
      expect({ model: model.name, columns: columns.toSorted() }).toEqual({
        model: model.name,
        columns: [...fields, ...(others[model.name] ?? [])].toSorted(),
      });
    }
  });
});

describe('a process that migrates', () => {
  it('waits for another one only so long, and then says who that is and what to do', async () => {
    const other = new Client({
      connectionString: database.url,
      application_name: 'the other one',
    });
    await other.connect();
    try {
      await other.query(`SELECT pg_advisory_lock(${ADVISORY_LOCKS.migration})`);
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const limits = { timeoutMs: 20, maxTries: 1, turnMs: 20 };
      const failure: unknown = await migrate(database.url, 'migrations', limits).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({
        message: expect.stringMatching(
          new RegExp(
            `^Another process has been migrating this database since .+Z: "the other one" .+pg_terminate_backend\\(${rows[0]?.pid}\\)`,
          ),
        ),
      });
    } finally {
      await other.end();
    }
    expect(await migrate(database.url)).toEqual([]);
  });
});

describe('a migration', () => {
  const folder = temporaryDirectory();
  const run = (limits?: Parameters<typeof migrate>[2]) => migrate(database.url, folder, limits);
  const execute = (sql: string) => database.now.sequelize.query(sql);

  it('that could not be recorded is not applied', async () => {
    await writeFile(
      join(folder, '9001-one.sql'),
      'CREATE TABLE one (n integer);\n-- no line ends here',
    );
    await execute(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the process dies'; END $$;
       CREATE TRIGGER refused BEFORE INSERT ON migration FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await expect(run()).rejects.toThrow('the process dies');
    await execute('DROP TRIGGER refused ON migration; DROP FUNCTION refuse');
    expect(await run()).toEqual(['9001-one.sql']);
  });

  it('gives way to a holder of its table, and is applied later', async () => {
    await writeFile(join(folder, '9002-two.sql'), 'ALTER TABLE one ADD COLUMN m integer;');
    await database.now.sequelize.transaction(async (transaction) => {
      await database.now.sequelize.query('SELECT * FROM one', { transaction });
      await expect(run({ timeoutMs: 20, maxTries: 2, turnMs: 1_000 })).rejects.toThrow(
        'lock timeout',
      );
    });
    expect(await run()).toEqual(['9002-two.sql']);
  });

  it('begins again where PostgreSQL has ended it to resolve a deadlock', async () => {
    await execute('CREATE TABLE other (n integer)');
    await writeFile(
      join(folder, '9003-three.sql'),
      `SET LOCAL deadlock_timeout = '2s';
       ALTER TABLE other ADD COLUMN m integer; ALTER TABLE one ADD COLUMN o integer;`,
    );
    let migrating: Promise<string[]> | undefined;
    await database.now.sequelize.transaction(async (transaction) => {
      const say = (text: string) => database.now.sequelize.query(text, { transaction });
      // It is the migration that PostgreSQL ends.
      await say("SET LOCAL deadlock_timeout = '1min'");
      await say('SELECT * FROM one');
      migrating = run({ timeoutMs: 3_000, maxTries: 5, turnMs: 1_000 });
      await until('it waits', async () => {
        const text = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'one'::regclass";
        return (await query(database.now.sequelize, text)).length > 0;
      });
      await say('SELECT * FROM other');
    });
    expect(await migrating).toEqual(['9003-three.sql']);
    await execute("DROP TABLE one, other; DELETE FROM migration WHERE name LIKE '9%'");
  });
});
