import { Op } from 'sequelize';
import { appendEvent } from './append-event.ts';
import type { Database } from '../database.ts';

/**
 * Tells the callers of builds again where they stand, those first that have heard nothing for longest. Nothing else of
 * a build changes by it. What somebody else is writing an event of just now is left out, so that any number of
 * processes share the work.
 *
 * @param heardBefore builds whose latest event is older
 * @param startingHeardBefore the same for those without a workflow: a dispatcher that starts it keeps their rows
 * meanwhile
 * @param limit most builds in one call, which keeps their rows locked as long as it takes
 * @returns how many were told of
 */
export async function repeatEvents(
  { sequelize, Build }: Pick<Database, 'sequelize' | 'Build'>,
  {
    heardBefore,
    startingHeardBefore = heardBefore,
    limit,
  }: { heardBefore: Date; startingHeardBefore?: Date; limit: number },
): Promise<number> {
  return sequelize.transaction(async (transaction) => {
    const builds = await Build.findAll({
      where: {
        finishedAt: null,
        // By itself, so that the index finds what is due without a look at all builds that are under way.
        reportedAt: { [Op.lt]: startingHeardBefore },
        [Op.or]: [{ reportedAt: { [Op.lt]: heardBefore } }, { dispatchedAt: null }],
      },
      order: ['reportedAt'],
      limit,
      transaction,
      lock: transaction.LOCK.UPDATE,
      skipLocked: true,
    });
    const now = new Date();
    for (const build of builds) {
      // `updatedAt` tells when the build itself got on: `silentSince` goes by it.
      await build.moveTo(build.phase, now, transaction, { silent: true });
      await appendEvent(sequelize, build, `repeat-${build.lastSeq}`, transaction);
    }
    return builds.length;
  });
}
