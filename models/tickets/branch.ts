import type { Sequelize } from 'sequelize';
import type { BRANCH_TYPES } from '../../domain/tickets/project.ts';
import { optionalReferenceColumn, referenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** A branch of a project's code, or one that belongs to no project. */
export function defineBranch(sequelize: Sequelize) {
  return storedModel(sequelize, 'branch', {
    uniqueName: textColumn(),
    ownerId: referenceColumn(),
    type: textColumn<(typeof BRANCH_TYPES)[number]>(),
    projectId: optionalReferenceColumn(),
  });
}
