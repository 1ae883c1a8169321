import type { Sequelize } from 'sequelize';
import type { MutationContext } from '../sql/mutation-context.ts';
import { query } from '../sql/query.ts';
import { atomically } from '../sql/transactions.ts';

/** What an import says of a binary package. */
export type BinaryPackageEntry = {
  readonly name: string;
  /** The name of the source package. */
  readonly sourcePackage: string;
  readonly version: string;
  /** Undefined: as it is, false for a new one. */
  readonly seeded: boolean | undefined;
};

export type ImportCounts = {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
};

// Whoever writes waits until the import is over, and the import until who writes now is done; reading goes on. Without
// it two transactions that write the same packages in another order would be a deadlock.
const LOCK = 'LOCK TABLE source_package, binary_package IN SHARE ROW EXCLUSIVE MODE';

// Not ON CONFLICT, which uses up an id for every row that there is already.
const ADD_SOURCES = `INSERT INTO source_package (name)
  SELECT DISTINCT given.name FROM unnest($1::text[]) AS given (name)
  WHERE NOT EXISTS (SELECT FROM source_package known WHERE known.name = given.name)`;

const WRITE = `WITH given AS (
    SELECT entry.name, source.id AS source_package_id, entry.version, entry.seeded
    FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS entry (name, source, version, seeded)
    JOIN source_package source ON source.name = entry.source
  ), updated AS (
    UPDATE binary_package known SET
      source_package_id = given.source_package_id, version = given.version,
      seeded = coalesce(given.seeded, known.seeded),
      revision = known.revision + 1, updated_at = clock_timestamp()
    FROM given
    WHERE known.name = given.name
      AND (known.source_package_id, known.version, known.seeded)
        <> (given.source_package_id, given.version, coalesce(given.seeded, known.seeded))
    RETURNING known.id
  ), created AS (
    INSERT INTO binary_package (name, source_package_id, version, seeded)
    SELECT name, source_package_id, version, coalesce(seeded, false) FROM given
    WHERE NOT EXISTS (SELECT FROM binary_package known WHERE known.name = given.name)
    RETURNING id
  )
  SELECT (SELECT count(*) FROM created)::integer AS created, (SELECT count(*) FROM updated)::integer AS updated`;

/**
 * Adds the binary packages that are new and changes those that are there, with their source packages, all or nothing.
 * The statements are three, however many packages there are. What the entries do not name stays as it is.
 *
 * @param entries no name twice
 */
export async function importBinaryPackages(
  sequelize: Sequelize,
  entries: readonly BinaryPackageEntry[],
  context: MutationContext,
): Promise<ImportCounts> {
  const sources = entries.map(({ sourcePackage }) => sourcePackage);
  return atomically(sequelize, context, async ({ transaction }) => {
    await query(sequelize, LOCK, [], transaction);
    await query(sequelize, ADD_SOURCES, [sources], transaction);
    const values = [
      entries.map(({ name }) => name),
      sources,
      entries.map(({ version }) => version),
      entries.map(({ seeded }) => seeded ?? null),
    ];
    const [counts] = await query<Pick<ImportCounts, 'created' | 'updated'>>(
      sequelize,
      WRITE,
      values,
      transaction,
    );
    const { created = 0, updated = 0 } = counts ?? {};
    return { created, updated, unchanged: entries.length - created - updated };
  });
}
