import type { Sequelize } from 'sequelize';
import { textColumn } from './columns.ts';
import { storedModel } from './stored-model.ts';

/** A source package of the archive, recorded the first time that changes to it are submitted. */
export function defineSourcePackage(sequelize: Sequelize) {
  return storedModel(sequelize, 'source_package', { name: textColumn() }, { unique: 'name' });
}
