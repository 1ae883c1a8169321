import type { Sequelize } from 'sequelize';
import { textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** A source package of the archive, recorded the first time that changes to it are submitted. */
export function defineSourcePackage(sequelize: Sequelize) {
  return storedModel(sequelize, 'source_package', { name: textColumn() }, { unique: 'name' });
}
