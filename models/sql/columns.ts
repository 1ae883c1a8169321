import { DataTypes, type ModelAttributeColumnOptions } from 'sequelize';

/** A column with the type of its values. */
export type Column<T> = ModelAttributeColumnOptions & { readonly holds?: T };
/** A column that a new row need not give: it has a default. */
export type DefaultedColumn<T> = Column<T> & { readonly defaulted: true };
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** What a row holds, by attribute. */
export type Held<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never;
};
/** What a new row is given, by attribute. */
export type Given<C extends Columns> = {
  readonly [
    Name in keyof C as C[Name] extends DefaultedColumn<unknown> ? never : Name
  ]: Held<C>[Name];
};

/** The same column with the default that its migration has. */
export function defaulted<T>(column: Column<T>): DefaultedColumn<T> {
  return { ...column, defaulted: true };
}

/** A text, never null. `T`: the words that it may be. */
export function textColumn<T extends string = string>(): Column<T> {
  return { type: DataTypes.TEXT, allowNull: false };
}

/** A whole number of 32 bits, never null. `T`: the numbers that it may be. */
export function integerColumn<T extends number = number>(): Column<T> {
  return { type: DataTypes.INTEGER, allowNull: false };
}

/** True or false, never null. */
export function booleanColumn(): Column<boolean> {
  return { type: DataTypes.BOOLEAN, allowNull: false };
}

/** The id of a row of another table. */
export function referenceColumn(): Column<number> {
  return integerColumn();
}

/** A text, or null. */
export function optionalTextColumn(): Column<string | null> {
  return { type: DataTypes.TEXT, allowNull: true };
}

/** A whole number of 32 bits, or null. */
export function optionalIntegerColumn<T extends number = number>(): Column<T | null> {
  return { type: DataTypes.INTEGER, allowNull: true };
}

/** The id of a row of another table, or null. */
export function optionalReferenceColumn(): Column<number | null> {
  return optionalIntegerColumn();
}

/** By which a change tells the trigger that keeps a table's history who makes it; the trigger empties them. */
export const AUDIT_COLUMNS = {
  changedBy: DataTypes.TEXT,
  changeReason: DataTypes.TEXT,
  changeRequestId: DataTypes.TEXT,
};
