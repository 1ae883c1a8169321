import type { Sequelize, Transaction } from 'sequelize';
import { acceptedPpa, ppaReference } from '../../domain/packages/ppa.ts';
import { query } from '../sql/query.ts';

/** A landing of the pool names no PPA to build in: the one that it has is the pool's. */
const UNDER_WAY = `
  SELECT 'Build ' || id AS name, ppa, archive FROM build WHERE finished_at IS NULL
  UNION ALL
  SELECT 'Landing ' || id, ppa, archive FROM landing WHERE finished_at IS NULL AND NOT uses_pool
  UNION ALL
  SELECT 'Landing ' || id, target, archive FROM landing WHERE finished_at IS NULL AND target LIKE '~%'`;

/**
 * What builds or publishes in a PPA, or will: builds that have not ended, landings that name their PPA, and landings
 * whose target it is.
 *
 * @returns one of them for each PPA, such as `Landing 7`, by the reference of the PPA
 */
export async function usersOfPpas(
  sequelize: Sequelize,
  transaction?: Transaction,
): Promise<ReadonlyMap<string, string>> {
  const rows = await query<{ name: string; ppa: string; archive: string }>(
    sequelize,
    UNDER_WAY,
    [],
    transaction,
  );
  return new Map(rows.map((row) => [ppaReference(acceptedPpa(row)), row.name]));
}
