import type { Sequelize } from 'sequelize';
import type { REFERENCE_KINDS } from '../../domain/tickets/ticket.ts';
import { defaulted, optionalReferenceColumn, referenceColumn, textColumn } from '../sql/columns.ts';
import { storedModel } from '../sql/stored-model.ts';

/** A page that a ticket is about: a bug, a blueprint, a design document. */
export function defineTicketReference(sequelize: Sequelize) {
  return storedModel(sequelize, 'ticket_reference', {
    ticketId: referenceColumn(),
    kind: textColumn<(typeof REFERENCE_KINDS)[number]>(),
    url: textColumn(),
    title: defaulted(textColumn()),
  });
}

/** A person or a team that a ticket belongs to. */
export function defineTicketOwner(sequelize: Sequelize) {
  return storedModel(sequelize, 'ticket_owner', {
    ticketId: referenceColumn(),
    personId: referenceColumn(),
  });
}

/** A PPA that is dedicated to a ticket. */
export function defineTicketPpa(sequelize: Sequelize) {
  return storedModel(sequelize, 'ticket_ppa', {
    ticketId: referenceColumn(),
    ppa: textColumn(),
    /** The lease by which a landing of the ticket holds it; null: somebody has named it. */
    leaseId: defaulted(optionalReferenceColumn()),
  });
}

/** A test suite that is to be run for a ticket. */
export function defineTicketTestSuite(sequelize: Sequelize) {
  return storedModel(sequelize, 'ticket_test_suite', {
    ticketId: referenceColumn(),
    testSuiteId: referenceColumn(),
  });
}
