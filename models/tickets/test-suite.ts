import type { Sequelize } from 'sequelize';
import { defaulted, optionalReferenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** Tests that are run for tickets, such as the DEP-8 tests of a source package. */
export function defineTestSuite(sequelize: Sequelize) {
  return storedModel(sequelize, 'test_suite', {
    name: defaulted(textColumn()),
    description: defaulted(textColumn()),
    sourcePackageId: defaulted(optionalReferenceColumn()),
  });
}
