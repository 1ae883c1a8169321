import { wantedFiles } from '../../../models/service/old-files.ts';
import { query } from '../../../models/sql/query.ts';
import { addSubticket, addTicket } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const SINCE = new Date('2026-05-04T12:00:00Z');
const BEFORE = new Date('2026-05-03T12:00:00Z');

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** How many rows of a table a plan has read. */
function rowsRead(plan: Plan, table: string): number {
  const own = plan['Relation Name'] === table;
  const kept = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one, table), 0);
  return below + (own ? kept * plan['Actual Loops'] : 0);
}

it('finds a young source behind many old ones, a few rows in each statement', async () => {
  const { sequelize } = database.now;
  const ticket = await addTicket(database.now);
  const subticket = await addSubticket(database.now, ticket);
  await query(
    sequelize,
    `INSERT INTO subticket_artifact (subticket_id, name, reference, type, created_at, updated_at)
     SELECT $1, 'a', 'http://store/' || nth, 'SPU', $2::timestamptz + nth / 6 * interval '2 days',
       $2::timestamptz + nth / 6 * interval '2 days'
     FROM generate_series(1, 6) AS nth`,
    [subticket.id, BEFORE],
  );
  for (const table of ['ticket', 'subticket'])
    await query(sequelize, `UPDATE ${table} SET updated_at = $1`, [BEFORE]);

  const spy = jest.spyOn(sequelize, 'query');
  const wanted: string[] = [];
  for await (const urls of wantedFiles(sequelize, 'sources', SINCE, 2)) wanted.push(...urls);
  const calls = spy.mock.calls as unknown as [string, { bind?: unknown[] }][];
  spy.mockRestore();

  expect(wanted).toEqual(['http://store/6']);
  const reads = calls.filter(([text]) => text.includes('FROM subticket_artifact '));
  const read = await sequelize.transaction(async (transaction) => {
    // As where the table is too large to be read or sorted.
    await query(sequelize, 'SET LOCAL enable_seqscan = off', [], transaction);
    await query(sequelize, 'SET LOCAL enable_sort = off', [], transaction);
    const counts: number[] = [];
    for (const [text, { bind = [] }] of reads) {
      const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
      const [row] = await query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        sequelize,
        explain,
        bind,
        transaction,
      );
      if (row) counts.push(rowsRead(row['QUERY PLAN'][0].Plan, 'subticket_artifact'));
    }
    return counts;
  });
  expect(read).toEqual([2, 2, 2, 0]);
});
