import type { Model, ModelStatic } from 'sequelize';
import { AUDIT_COLUMNS } from '../columns.ts';

const lists = new WeakMap<ModelStatic<Model>, string>();

/** A name of our own as SQL; never for what comes from outside. */
export function quote(identifier: string): string {
  return `"${identifier}"`;
}

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
    .filter((attribute) => !Object.hasOwn(AUDIT_COLUMNS, attribute))
    .map((attribute) => `${columnOf(model, attribute)} AS ${quote(attribute)}`)
    .join(', ');
  lists.set(model, list);
  return list;
}
