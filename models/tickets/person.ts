import type { Sequelize } from 'sequelize';
import { booleanColumn, defaulted, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** A person, or a team, that projects, branches and merge proposals refer to. */
export function definePerson(sequelize: Sequelize) {
  return storedModel(sequelize, 'person', {
    name: textColumn(),
    email: textColumn(),
    isTeam: defaulted(booleanColumn()),
  });
}
