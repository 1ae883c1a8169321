import type { Sequelize, Transaction } from 'sequelize';
import { addressesOf } from '../../domain/access/source-url.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { SUBTICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import { changesAny } from '../sql/changes-any.ts';
import { referenceColumn, textColumn, type Held } from '../sql/columns.ts';
import type { MutationContext } from '../sql/mutation-context.ts';
import { query } from '../sql/query.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';
import { assertNoLandingUnderWay } from './requested-of.ts';
import type { SubticketModel } from './subticket.ts';

const columns = {
  subticketId: referenceColumn(),
  name: textColumn(),
  reference: textColumn(),
  type: textColumn<(typeof SUBTICKET_ARTIFACT_TYPES)[number]>(),
};

type Changes = Partial<Held<typeof columns>>;

const WHAT_STAYS = ['reference', 'type', 'subticketId'] as const;

const BUILT_FROM = `
  SELECT id FROM build WHERE ticket_id = $1 AND source_packages ?| $2::text[] ORDER BY id LIMIT 1`;

/**
 * Uploaded files, test results or logs that belong to a subticket. `reference` is the artifact's URL.
 *
 * What is landed is read from those of the type SPU: one that a build of the ticket was requested of stays, and all of
 * a ticket do while it is being landed. One that nothing was built from can be corrected.
 *
 * @param storeUrls the addresses of the data store, present and former ones: callers may name a file by any of them
 */
export function defineSubticketArtifact(
  sequelize: Sequelize,
  { Subticket }: { Subticket: SubticketModel },
  storeUrls: readonly string[],
) {
  return class SubticketArtifact extends storedModel(sequelize, 'subticket_artifact', columns) {
    /**
     * Changes what is given of an artifact.
     *
     * @throws AirlineError `ticket_under_way` where it stays what it is, and what every change throws
     */
    static override async updateOne(
      id: number,
      changes: Changes,
      context: MutationContext,
    ): Promise<SubticketArtifact | undefined> {
      return atomically(sequelize, context, async (within) => {
        await this.lockAll([id], within.transaction);
        const found = await this.findByPk(id, { transaction: within.transaction });
        if (found && changesAny(found, withoutSameFile(found, changes), ...WHAT_STAYS))
          await assertMayGo(found, within.transaction);
        return super.updateOne(id, changes, within);
      });
    }

    /** Deletes an artifact. @throws AirlineError `ticket_under_way` where it stays, and what every deletion throws */
    static override async deleteOne(id: number, context: MutationContext): Promise<boolean> {
      return atomically(sequelize, context, async (within) => {
        await this.lockAll([id], within.transaction);
        const found = await this.findByPk(id, { transaction: within.transaction });
        if (found) await assertMayGo(found, within.transaction);
        return super.deleteOne(id, within);
      });
    }

    /** A change of an artifact locks its ticket: a build or landing of that is requested before or after. */
    static override async lockAll(ids: readonly number[], transaction: Transaction): Promise<void> {
      const artifacts = await this.findAll({ where: { id: [...ids] }, transaction });
      await Subticket.lockAll(
        artifacts.map(({ subticketId }) => subticketId),
        transaction,
      );
    }
  };

  /** Changes, of which another address of the same file is none: callers send back the present one, which they see. */
  function withoutSameFile({ reference }: Artifact, changes: Changes): Changes {
    const isSame = addressesOf(reference, storeUrls).includes(changes.reference ?? reference);
    return isSame ? { ...changes, reference } : changes;
  }

  type Artifact = Pick<Held<typeof columns>, 'subticketId' | 'reference' | 'type'> & { id: number };

  async function assertMayGo(
    { id, subticketId, reference, type }: Artifact,
    transaction: Transaction,
  ): Promise<void> {
    if (type !== 'SPU') return;
    const { ticketId } = await Subticket.findByPk(subticketId, {
      transaction,
      rejectOnEmpty: true,
    });
    const stays = `artifact ${id} stays as it is`;
    await assertNoLandingUnderWay(sequelize, ticketId, stays, transaction);
    type Id = { readonly id: number };
    const bind = [ticketId, addressesOf(reference, storeUrls)];
    const [build] = await query<Id>(sequelize, BUILT_FROM, bind, transaction);
    if (build)
      throw new AirlineError(
        'ticket_under_way',
        `Build ${build.id} of ticket ${ticketId} was requested of its file, so ${stays}.`,
      );
  }
}
