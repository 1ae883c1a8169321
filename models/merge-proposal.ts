import type { Sequelize } from 'sequelize';
import type { MERGE_PROPOSAL_STATUSES } from '../domain/project.ts';
import { defaulted, referenceColumn, textColumn } from './columns.ts';
import { storedModel } from './stored-model.ts';

/** Somebody's proposal to merge a branch. */
export function defineMergeProposal(sequelize: Sequelize) {
  return storedModel(sequelize, 'merge_proposal', {
    branchId: referenceColumn(),
    submitterId: referenceColumn(),
    status: textColumn<(typeof MERGE_PROPOSAL_STATUSES)[number]>(),
    hostingWeblink: defaulted(textColumn()),
  });
}
