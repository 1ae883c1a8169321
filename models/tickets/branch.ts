import type { Sequelize } from 'sequelize';
import type { BRANCH_TYPES } from '../../domain/tickets/project.ts';
import { optionalReferenceColumn, referenceColumn, textColumn, type Held } from '../sql/columns.ts';
import type { MutationContext } from '../sql/mutation-context.ts';
import { storedModel } from '../sql/stored-model.ts';
import { atomically } from '../sql/transactions.ts';
import { assertMayRename } from './branch-lock.ts';

const columns = {
  uniqueName: textColumn(),
  ownerId: referenceColumn(),
  type: textColumn<(typeof BRANCH_TYPES)[number]>(),
  projectId: optionalReferenceColumn(),
};

/** A branch of a project's code, or one that belongs to no project. */
export function defineBranch(sequelize: Sequelize) {
  return class Branch extends storedModel(sequelize, 'branch', columns) {
    /**
     * Changes what is given of a branch.
     *
     * @throws AirlineError `branch_busy` where it is to have another name while a build of it is under way, and what
     * every change throws
     */
    static override async updateOne(
      id: number,
      changes: Partial<Held<typeof columns>>,
      context: MutationContext,
    ): Promise<Branch | undefined> {
      if (changes.uniqueName === undefined) return super.updateOne(id, changes, context);
      return atomically(sequelize, context, async (within) => {
        const { transaction } = within;
        const found = await this.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
        if (found && found.uniqueName !== changes.uniqueName)
          await assertMayRename(sequelize, id, transaction);
        return super.updateOne(id, changes, within);
      });
    }
  };
}
