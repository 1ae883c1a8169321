import { DataTypes, type Model, type ModelStatic } from 'sequelize';
import { AUDIT_COLUMNS } from './columns.ts';

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

/** The attributes of a model's rows. */
export function attributesOf(model: ModelStatic<Model>): string[] {
  return Object.keys(model.getAttributes()).filter((name) => !Object.hasOwn(AUDIT_COLUMNS, name));
}

/** All columns of a model's rows, as SQL. Never `*`: a migration must not change what a prepared statement gives. */
export function columnsOf(model: ModelStatic<Model>): string {
  return attributesOf(model)
    .map((name) => columnOf(model, name))
    .join(', ');
}

/** Whether an attribute is a time. */
export function isTime(model: ModelStatic<Model>, attribute: string): boolean {
  return model.getAttributes()[attribute]?.type instanceof DataTypes.DATE;
}
