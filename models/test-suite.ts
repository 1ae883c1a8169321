import type { Sequelize } from 'sequelize';
import { storedModel } from './stored-model.ts';

/** A test suite. The specification gives it no fields yet. */
export function defineTestSuite(sequelize: Sequelize) {
  return storedModel(sequelize, 'test_suite', {});
}
