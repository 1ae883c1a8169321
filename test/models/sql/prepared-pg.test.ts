import { Sequelize } from 'sequelize';
import { createPreparedPg } from '../../../models/sql/prepared-pg.ts';
import { createTestDatabase } from '../../support/database.ts';

it('names statements with bound values, up to a bound, and no others', async () => {
  const { url, drop } = await createTestDatabase();
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    logging: false,
    pool: { max: 1 },
    dialectModule: createPreparedPg({ maxPrepared: 2, comesAgain: 1 }),
  });
  for (const text of ['SELECT $1::text AS one', 'SELECT $1::text AS two', 'SELECT $1 AS three'])
    for (const value of ['a', 'b']) await sequelize.query(text, { bind: [value] });

  const [prepared] = await sequelize.query(
    "SELECT name, statement FROM pg_prepared_statements WHERE name <> '' ORDER BY name",
  );

  expect(prepared).toEqual([
    { name: 's0', statement: 'SELECT $1::text AS one' },
    { name: 's1', statement: 'SELECT $1::text AS two' },
  ]);
  await sequelize.close();
  await drop();
});
