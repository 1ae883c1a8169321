import type { Sequelize } from 'sequelize';
import type { REFERENCE_KINDS } from '../../domain/tickets/ticket.ts';
import { changesAny } from '../sql/changes-any.ts';
import {
  defaulted,
  optionalReferenceColumn,
  referenceColumn,
  textColumn,
  type Held,
} from '../sql/columns.ts';
import type { MutationContext } from '../sql/mutation-context.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';

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

const ppaColumns = {
  ticketId: referenceColumn(),
  ppa: textColumn(),
  /** The lease by which a landing of the ticket holds it; null: somebody has named it. */
  leaseId: defaulted(optionalReferenceColumn()),
};

/** A PPA that is dedicated to a ticket. */
export function defineTicketPpa(sequelize: Sequelize) {
  return class TicketPpa extends storedModel(sequelize, 'ticket_ppa', ppaColumns) {
    /** Changes what is given of a dedicated PPA. Whoever names another PPA or ticket dedicates it: no lease ends it. */
    static override async updateOne(
      id: number,
      changes: Partial<Held<typeof ppaColumns>>,
      context: MutationContext,
    ): Promise<TicketPpa | undefined> {
      return atomically(sequelize, context, async (within) => {
        const { transaction } = within;
        const found = await this.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
        const isAnother = found && changesAny(found, changes, 'ppa', 'ticketId');
        return super.updateOne(id, isAnother ? { ...changes, leaseId: null } : changes, within);
      });
    }
  };
}

/** A test suite that is to be run for a ticket. */
export function defineTicketTestSuite(sequelize: Sequelize) {
  return storedModel(sequelize, 'ticket_test_suite', {
    ticketId: referenceColumn(),
    testSuiteId: referenceColumn(),
  });
}
