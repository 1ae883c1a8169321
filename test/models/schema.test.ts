import { readFile } from 'node:fs/promises';
import { describeSchema } from '../../models/sql/describe-schema.ts';
import { migrate } from '../../models/sql/migrate.ts';
import { useDatabase } from './use-database.ts';

const database = useDatabase();

describe('the migrations', () => {
  it('come to the schema that models/schema.sql shows (`npm run schema` writes it)', async () => {
    const dump = await readFile('models/schema.sql', 'utf8');
    expect(`${await describeSchema(database.url)}\n`).toBe(dump);
  });

  it('have nothing left to do on a migrated database', async () => {
    expect(await migrate(database.url)).toEqual([]);
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
