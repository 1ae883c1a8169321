import type { Model, ModelStatic, WhereOptions } from 'sequelize';

/** A row as plain values, by attribute. */
export type Row = Readonly<Record<string, unknown>>;

/** What rows must have: for each attribute one value, or one of several. */
export type Conditions = Readonly<Record<string, unknown>>;

/** Which rows of a table, in which order, from where on. */
export type Selection = {
  conditions: Conditions;
  order: readonly (readonly [attribute: string, direction: 'ASC' | 'DESC'])[];
  limit: number;
  offset: number;
};

/** Reads one page of a table, and how many rows there are on all pages. */
export async function readPage(
  model: ModelStatic<Model>,
  { conditions, order, limit, offset }: Selection,
): Promise<{ rows: Row[]; totalCount: number }> {
  const where = conditions as WhereOptions;
  const [rows, totalCount] = await Promise.all([
    model.findAll({
      where,
      order: [
        ...order.map(([attribute, direction]): [string, string] => [attribute, direction]),
        ['id', 'ASC'],
      ],
      limit,
      offset,
      raw: true,
    }),
    model.count({ where }),
  ]);
  return { rows: rows as unknown as Row[], totalCount };
}

/** Reads every row that meets the conditions, by id. For sets that are small by nature, such as a ticket's parts. */
export async function readAll(model: ModelStatic<Model>, conditions: Conditions): Promise<Row[]> {
  const where = conditions as WhereOptions;
  return (await model.findAll({ where, order: ['id'], raw: true })) as unknown as Row[];
}

/** Reads the row of an id. */
export async function readRow(model: ModelStatic<Model>, id: number): Promise<Row | undefined> {
  return ((await model.findByPk(id, { raw: true })) as unknown as Row | null) ?? undefined;
}
