import { QueryTypes, Sequelize } from 'sequelize';
import { createPreparedPg } from '../../../models/sql/prepared-pg.ts';
import { createTestDatabase } from '../../support/database.ts';

describe('the prepared statements', () => {
  let url: string;
  let drop: () => Promise<void>;
  const opened: Sequelize[] = [];

  beforeAll(async () => {
    ({ url, drop } = await createTestDatabase());
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sequelize) => sequelize.close()));
  });
  afterAll(() => drop());

  /** As a process does, with one connection. */
  function open(options: Parameters<typeof createPreparedPg>[0]): Sequelize {
    const sequelize = new Sequelize(url, {
      dialect: 'postgres',
      logging: false,
      pool: { max: 1 },
      dialectModule: createPreparedPg(options),
    });
    opened.push(sequelize);
    return sequelize;
  }

  const preparedIn = (sequelize: Sequelize) =>
    sequelize.query<{ name: string; statement: string }>(
      "SELECT name, statement FROM pg_prepared_statements WHERE name <> '' ORDER BY statement",
      { type: QueryTypes.SELECT },
    );

  it('are those with bound values, up to a bound, and no others', async () => {
    const sequelize = open({ maxPrepared: 2, comesAgain: 1 });
    for (const text of ['SELECT $1::text AS one', 'SELECT $1::text AS two', 'SELECT $1 AS three'])
      for (const value of ['a', 'b']) await sequelize.query(text, { bind: [value] });

    const prepared = await preparedIn(sequelize);

    expect(prepared.map(({ statement }) => statement)).toEqual([
      'SELECT $1::text AS one',
      'SELECT $1::text AS two',
    ]);
  });

  it('have the same names in processes that use them in another order', async () => {
    const texts = ['SELECT $1::text AS one', 'SELECT $1::text AS two'];
    const [api, worker] = [open({ comesAgain: 1 }), open({ comesAgain: 1 })];
    for (const text of texts) await api.query(text, { bind: ['a'] });
    for (const text of texts.toReversed()) await worker.query(text, { bind: ['a'] });

    const prepared = await preparedIn(api);

    expect(prepared).toEqual(await preparedIn(worker));
    expect(new Set(prepared.map(({ name }) => name)).size).toBe(2);
  });
});
