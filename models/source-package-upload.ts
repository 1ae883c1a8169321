import type { Sequelize } from 'sequelize';
import { referenceColumn, textColumn } from './columns.ts';
import { storedModel } from './stored-model.ts';

/** A version of a source package that a developer uploads (SPU). */
export function defineSourcePackageUpload(sequelize: Sequelize) {
  return storedModel(sequelize, 'source_package_upload', {
    sourcePackageId: referenceColumn(),
    version: textColumn(),
  });
}
