import type { Sequelize } from 'sequelize';
import { defaulted, referenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** An upstream project. */
export function defineProject(sequelize: Sequelize) {
  return storedModel(sequelize, 'project', {
    name: textColumn(),
    displayName: textColumn(),
    maintainerId: referenceColumn(),
    contactId: referenceColumn(),
    description: defaulted(textColumn()),
  });
}
