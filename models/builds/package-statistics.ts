import type { Sequelize } from 'sequelize';
import { query, type Row } from '../sql/query.ts';

/** How many of the latest builds of a package are listed; the median of `package_statistics` is of as many. */
export const MAX_HISTORY = 500;

/** Of packages that are a table `page (name)`; `package` is the source package of that name, where there is one. */
const STATISTICS = `
  LEFT JOIN source_package package ON package.name = page.name
  LEFT JOIN package_statistics kept ON kept.package = page.name
  LEFT JOIN LATERAL (
    SELECT version AS uploaded_version FROM source_package_upload
    WHERE source_package_id = package.id ORDER BY id DESC LIMIT 1
  ) uploaded ON true`;
const SHOWN = `page.name, package.id AS source_package_id, coalesce(built_version, uploaded_version) AS latest_version,
  coalesce(builds, 0) AS builds, coalesce(succeeded, 0) AS succeeded, coalesce(failed, 0) AS failed,
  coalesce(cancelled, 0) AS cancelled, median_build_ms, last_build_at`;

/** What each order sorts by, the least first. */
const SORTED = {
  name: '0',
  '-last_build_at': "-extract(epoch FROM coalesce(last_build_at, '-infinity'))",
  '-builds': '-coalesce(builds, 0)',
  success_rate:
    'CASE WHEN succeeded + failed > 0 THEN succeeded::float8 / (succeeded + failed) ELSE 2 END',
  '-median_build_ms': '-coalesce(median_build_ms, -1)',
} as const;
export type PackageOrder = keyof typeof SORTED;
export const PACKAGE_ORDERS = Object.keys(SORTED) as [PackageOrder, ...PackageOrder[]];

/**
 * One page of the packages that were built or are known as source packages, in an order, with the sum of their builds,
 * each architecture of each attempt being one.
 *
 * @param part that the names have in them, in any case
 */
export async function listPackageStatistics(
  sequelize: Sequelize,
  {
    part,
    order = 'name',
    limit,
    offset,
  }: { part: string; order?: PackageOrder; limit: number; offset: number },
): Promise<{ rows: readonly Row[]; totalCount: number }> {
  const text = `WITH names AS MATERIALIZED (
      SELECT name, ${SORTED[order]} AS place
      FROM (SELECT name FROM source_package UNION SELECT package FROM package_statistics) known
      LEFT JOIN package_statistics kept ON kept.package = known.name
      WHERE strpos(lower(name), lower($1)) > 0
    )
    SELECT total.count AS total_count, ${SHOWN}
    FROM (SELECT count(*)::integer AS count FROM names) total
    LEFT JOIN (SELECT name, place FROM names ORDER BY place, name LIMIT $2 OFFSET $3) page ON true ${STATISTICS}
    ORDER BY page.place, page.name`;
  const rows = await query(sequelize, text, [part, limit, offset]);
  return {
    rows: rows[0]?.['name'] === null ? [] : rows,
    totalCount: rows[0]?.['total_count'] as number,
  };
}

/** The sum of the builds of a package; undefined where it was never built, nor is a source package. */
export async function readPackageStatistics(
  sequelize: Sequelize,
  name: string,
): Promise<Row | undefined> {
  const text = `SELECT ${SHOWN}
    FROM (SELECT $1::text AS name) page ${STATISTICS}
    WHERE package.id IS NOT NULL OR builds > 0`;
  return (await query(sequelize, text, [name]))[0];
}

/** The latest builds of a package, at most 500, the latest first. */
export async function readPackageHistory(
  sequelize: Sequelize,
  name: string,
): Promise<readonly Row[]> {
  const text = `SELECT build_id, attempt, version, series, ppa, architecture, state, duration_ms, finished_at
    FROM build_record WHERE package = $1
    ORDER BY finished_at DESC, build_id DESC, attempt DESC, architecture, version LIMIT ${MAX_HISTORY}`;
  return query(sequelize, text, [name]);
}
