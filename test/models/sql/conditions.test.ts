import { BoundValues, whereSql, type Condition } from '../../../models/sql/conditions.ts';
import { query } from '../../../models/sql/query.ts';
import { addBuild } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

/** When builds were requested: at the edges of milliseconds. */
const AT = [
  '2026-05-04T12:00:00.000999Z',
  '2026-05-04T12:00:00.001000Z',
  '2026-05-04T12:00:00.001999Z',
  '2026-05-04T12:00:00.002000Z',
];
const ONE = new Date('2026-05-04T12:00:00.001Z');
const TWO = new Date('2026-05-04T12:00:00.002Z');
const attribute = 'requestedAt';

beforeAll(async () => {
  for (const at of AT) {
    const { id } = await addBuild(database.now);
    await query(database.now.sequelize, 'UPDATE build SET requested_at = $1 WHERE id = $2', [
      at,
      id,
    ]);
  }
});

function read<T extends object>(before: string, condition: Condition): Promise<T[]> {
  const values = new BoundValues();
  const where = whereSql(database.now.Build, [condition], values);
  return query<T>(database.now.sequelize, `${before} FROM build${where}`, values.list);
}

describe('a condition on a time', () => {
  it.each<[Condition, number[]]>([
    [{ attribute, lookup: 'exact', value: ONE }, [1, 2]],
    [{ attribute, lookup: 'gt', value: ONE }, [3]],
    [{ attribute, lookup: 'gte', value: ONE }, [1, 2, 3]],
    [{ attribute, lookup: 'lt', value: ONE }, [0]],
    [{ attribute, lookup: 'lte', value: ONE }, [0, 1, 2]],
    [{ attribute, lookup: 'range', from: ONE, to: ONE }, [1, 2]],
    [{ attribute, lookup: 'range', from: ONE, to: TWO }, [1, 2, 3]],
    [{ attribute, lookup: 'in', values: [ONE, TWO] }, [1, 2, 3]],
  ])('goes by what is shown of it, to the millisecond: %j', async (condition, selected) => {
    const found = await read<{ text: string }>(
      "SELECT to_char(requested_at AT TIME ZONE 'UTC', 'SS.US') AS text",
      condition,
    );
    expect(found.map(({ text }) => text).toSorted()).toEqual(
      selected.map((at) => AT[at]?.slice(17, 26)),
    );
  });

  it('is found by the index of the column', async () => {
    const condition = { attribute, lookup: 'gte', value: TWO } as const;
    await database.now.sequelize.transaction(async (transaction) => {
      const values = new BoundValues();
      const where = whereSql(database.now.Build, [condition], values);
      await query(database.now.sequelize, 'SET LOCAL enable_seqscan = off', [], transaction);
      const plan = await query<{ 'QUERY PLAN': string }>(
        database.now.sequelize,
        `EXPLAIN SELECT id FROM build${where}`,
        values.list,
        transaction,
      );
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(
        /Index Cond: \(requested_at >=/,
      );
    });
  });
});
