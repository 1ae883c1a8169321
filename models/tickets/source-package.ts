import type { Sequelize, Transaction } from 'sequelize';
import { changesAny } from '../sql/changes-any.ts';
import { textColumn, type Held } from '../sql/columns.ts';
import type { MutationContext } from '../sql/mutation-context.ts';
import { query } from '../sql/query.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';
import { assertNothingRequested } from './requested-of.ts';

const columns = { name: textColumn() };

type Changes = Partial<Held<typeof columns>>;

/** The tickets that change a source package. */
const TICKETS = `
  SELECT id FROM ticket WHERE id IN (
    SELECT ticket_id FROM subticket
    JOIN source_package_upload upload ON upload.id = source_package_upload_id
    WHERE source_package_id = $1
  )`;
const LOCKED_TICKETS = `${TICKETS} ORDER BY id FOR UPDATE`;

/** A source package of the archive, recorded the first time that changes to it are submitted. */
export function defineSourcePackage(sequelize: Sequelize) {
  return class SourcePackage extends storedModel(sequelize, 'source_package', columns, {
    unique: 'name',
  }) {
    /**
     * Changes what is given of a source package. Builds and landings find what they attach, and where, by its name.
     *
     * @throws AirlineError `ticket_under_way` where it is to have another name, and a build of a ticket that changes it
     * was requested, or such a ticket is being landed; and what every change throws
     */
    static override async updateOne(
      id: number,
      changes: Changes,
      context: MutationContext,
    ): Promise<SourcePackage | undefined> {
      return atomically(sequelize, context, async (within) => {
        const { transaction } = within;
        // Else it could change meanwhile, and what is the same now would be a change by then.
        const found = await this.findByPk(id, {
          transaction,
          lock: transaction.LOCK.NO_KEY_UPDATE,
        });
        if (found && changesAny(found, changes, 'name')) await assertNotRequested(id, transaction);
        return super.updateOne(id, changes, within);
      });
    }
  };

  async function assertNotRequested(id: number, transaction: Transaction): Promise<void> {
    // Of a package of many tickets something was requested: that is found without a lock of them all.
    for (const text of [TICKETS, LOCKED_TICKETS]) {
      const tickets = await query<{ readonly id: number }>(sequelize, text, [id], transaction);
      const ids = tickets.map((ticket) => ticket.id);
      const stays = `source package ${id} keeps its name`;
      await assertNothingRequested(sequelize, ids, stays, transaction);
    }
  }
}
