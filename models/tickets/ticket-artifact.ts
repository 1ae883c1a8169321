import type { Sequelize } from 'sequelize';
import type { ARTIFACT_IMAGE_KINDS, TICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import { defaulted, referenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** Test results, logs or an image that belong to a ticket. `reference` is the artifact's URL. */
export function defineTicketArtifact(sequelize: Sequelize) {
  return storedModel(sequelize, 'ticket_artifact', {
    ticketId: referenceColumn(),
    name: textColumn(),
    reference: textColumn(),
    type: textColumn<(typeof TICKET_ARTIFACT_TYPES)[number]>(),
    image: defaulted(textColumn<(typeof ARTIFACT_IMAGE_KINDS)[number]>()),
  });
}
