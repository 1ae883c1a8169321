import type { Transaction } from 'sequelize';
import { AirlineError } from '../../domain/errors.ts';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import type { Database } from '../../models/database.ts';

/**
 * Asserts that a build does not go to a PPA of the pool: it is for the builds of the landing that holds it, and for no
 * others. That landing holds it until the transaction ends.
 *
 * @param build.landingId the landing that it is a part of, if it is
 * @throws AirlineError `conflict`
 */
export async function assertOutsidePool(
  { PoolPpa }: Pick<Database, 'PoolPpa'>,
  { ppa, archive, landingId }: { ppa: string; archive: string; landingId?: number | null },
  transaction: Transaction,
): Promise<void> {
  const pooled = await PoolPpa.lockShared(acceptedPpa({ ppa, archive }), transaction);
  if (pooled && (pooled.landingId === null || pooled.landingId !== landingId))
    throw new AirlineError(
      'conflict',
      `${pooled.ppa} belongs to the pool: only the landing that holds it builds there.`,
    );
}
