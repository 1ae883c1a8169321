import type { Model, ModelStatic, Sequelize } from 'sequelize';
import { quote } from './statement.ts';

const lists = new WeakMap<ModelStatic<Model>, string>();

/** The table of a model, as SQL. */
export function tableOf(model: ModelStatic<Model>): string {
  return quote(model.getTableName() as string);
}

/** The column of a model's attribute, as SQL. */
export function columnOf(model: ModelStatic<Model>, attribute: string): string {
  const field = model.getAttributes()[attribute]?.field;
  if (field === undefined) throw new Error(`${model.name} has no attribute ${attribute}`);
  return quote(field);
}

/** Every column of a model under its attribute's name, as SQL. Never `*`: a migration must not change a prepared plan. */
export function columnList(model: ModelStatic<Model>): string {
  const known = lists.get(model);
  if (known !== undefined) return known;
  const list = Object.keys(model.getAttributes())
    .map((attribute) => `${columnOf(model, attribute)} AS ${quote(attribute)}`)
    .join(', ');
  lists.set(model, list);
  return list;
}

/** @throws Error where `initOn` was not called */
export function sequelizeOf(model: ModelStatic<Model>): Sequelize {
  if (!model.sequelize) throw new Error(`${model.name}.initOn was not called`);
  return model.sequelize;
}
