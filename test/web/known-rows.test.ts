import { knownRows } from '../../web/components/known-rows.ts';

type Row = { id: number; state: string };
const keyOf = ({ id }: Row) => id;
const row = (id: number, state = 'old'): Row => ({ id, state });

it('keeps the rows that are shown or came last, and no others, however many come', () => {
  let known: ReadonlyMap<number, Row> = new Map();
  for (let id = 1; id <= 1_000; id++)
    known = knownRows(known, [1, 2], [row(id), row(id + 1, 'new')], keyOf);
  expect([...known.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 1_000, 1_001]);
  expect(known.get(2)).toEqual(row(2));
  expect(known.get(1_001)).toEqual(row(1_001, 'new'));
});
