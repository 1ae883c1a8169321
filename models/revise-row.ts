import type { Attributes, Model, ModelStatic, Transaction, WhereOptions } from 'sequelize';

/**
 * Changes what is given of a row, in one statement.
 *
 * @returns the row as it is now; null where there is no such row
 */
export async function reviseRow<M extends Model>(
  model: ModelStatic<M>,
  id: number,
  changes: Partial<Attributes<M>>,
  transaction?: Transaction,
): Promise<M | null> {
  const within = transaction ? { transaction } : {};
  // Sequelize makes no statement of no changes, and says then that there is no row.
  if (Object.keys(changes).length === 0) return model.findByPk(id, within);
  const where = { id } as unknown as WhereOptions<Attributes<M>>;
  const [, [row]] = await model.update(changes, { where, returning: true, ...within });
  return row ?? null;
}
