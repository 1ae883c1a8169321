import { isDatabaseUnavailable } from '../../../models/sql/database-errors.ts';
import { query } from '../../../models/sql/query.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

describe('a server that takes no writes, as a standby', () => {
  it('is a database that is away', async () => {
    const { sequelize } = database.now;
    const writing = sequelize.transaction(async (transaction) => {
      await query(sequelize, 'SET TRANSACTION READ ONLY', [], transaction);
      await query(sequelize, 'DELETE FROM file_sweep', [], transaction);
    });
    const error: unknown = await writing.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ original: { code: '25006' } });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});
