import type { Sequelize, Transaction } from 'sequelize';
import { changesAny } from '../sql/changes-any.ts';
import { referenceColumn, textColumn, type Held } from '../sql/columns.ts';
import type { MutationContext } from '../sql/mutation-context.ts';
import { query } from '../sql/query.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';
import { assertNothingRequested } from './requested-of.ts';

const columns = { sourcePackageId: referenceColumn(), version: textColumn() };

type Changes = Partial<Held<typeof columns>>;

/** The tickets of an upload, locked: a build or landing of them is requested before or after, but not meanwhile. */
const LOCKED_TICKETS = `
  SELECT id FROM ticket WHERE id IN (SELECT ticket_id FROM subticket WHERE source_package_upload_id = $1)
  ORDER BY id FOR UPDATE`;

/** A version of a source package that a developer uploads (SPU). */
export function defineSourcePackageUpload(sequelize: Sequelize) {
  return class SourcePackageUpload extends storedModel(
    sequelize,
    'source_package_upload',
    columns,
  ) {
    /**
     * Changes what is given of an upload.
     *
     * @throws AirlineError `ticket_under_way` where a build of a ticket that it belongs to was requested, or such a
     * ticket is being landed, and what every change throws
     */
    static override async updateOne(
      id: number,
      changes: Changes,
      context: MutationContext,
    ): Promise<SourcePackageUpload | undefined> {
      return atomically(sequelize, context, async (within) => {
        const { transaction } = within;
        // Else it could change meanwhile, and what is the same now would be a change by then.
        const found = await this.findByPk(id, {
          transaction,
          lock: transaction.LOCK.NO_KEY_UPDATE,
        });
        if (found && changesAny(found, changes, 'version', 'sourcePackageId'))
          await assertNotRequested(id, transaction);
        return super.updateOne(id, changes, within);
      });
    }
  };

  async function assertNotRequested(id: number, transaction: Transaction): Promise<void> {
    type Id = { readonly id: number };
    const tickets = await query<Id>(sequelize, LOCKED_TICKETS, [id], transaction);
    const ids = tickets.map((ticket) => ticket.id);
    await assertNothingRequested(sequelize, ids, `upload ${id} stays as it is`, transaction);
  }
}

export type SourcePackageUploadModel = ReturnType<typeof defineSourcePackageUpload>;
export type SourcePackageUpload = InstanceType<SourcePackageUploadModel>;
