import type { Sequelize } from 'sequelize';
import type { SUBTICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import { referenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** Uploaded files, test results or logs that belong to a subticket. `reference` is the artifact's URL. */
export function defineSubticketArtifact(sequelize: Sequelize) {
  return storedModel(sequelize, 'subticket_artifact', {
    subticketId: referenceColumn(),
    name: textColumn(),
    reference: textColumn(),
    type: textColumn<(typeof SUBTICKET_ARTIFACT_TYPES)[number]>(),
  });
}
