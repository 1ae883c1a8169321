import type { Sequelize } from 'sequelize';
import { query, type Row } from './sql/query.ts';

/** How many of the latest builds of a package are listed, and how many successful ones its median is of. */
export const MAX_HISTORY = 500;

/** Of packages that are a table `page (name)`; `package` is the source package of that name, where there is one. */
const STATISTICS = `
  LEFT JOIN source_package package ON package.name = page.name
  LEFT JOIN LATERAL (
    SELECT count(*)::integer AS builds,
      count(*) FILTER (WHERE state = 'completed')::integer AS succeeded,
      count(*) FILTER (WHERE state = 'failed')::integer AS failed,
      count(*) FILTER (WHERE state = 'cancelled')::integer AS cancelled,
      max(finished_at) AS last_build_at
    FROM build_record WHERE build_record.package = page.name
  ) counted ON true
  LEFT JOIN LATERAL (
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS median_build_ms FROM (
      SELECT duration_ms FROM build_record
      WHERE build_record.package = page.name AND state = 'completed' AND duration_ms IS NOT NULL
      ORDER BY finished_at DESC LIMIT ${MAX_HISTORY}
    ) latest
  ) median ON true
  LEFT JOIN LATERAL (
    SELECT version AS built_version FROM build_record
    WHERE build_record.package = page.name ORDER BY finished_at DESC, build_id DESC LIMIT 1
  ) built ON true
  LEFT JOIN LATERAL (
    SELECT version AS uploaded_version FROM source_package_upload
    WHERE source_package_id = package.id ORDER BY id DESC LIMIT 1
  ) uploaded ON true`;
const SHOWN = `page.name, package.id AS source_package_id, coalesce(built_version, uploaded_version) AS latest_version,
  builds, succeeded, failed, cancelled, median_build_ms, last_build_at`;

/**
 * One page of the packages that were built or are known as source packages, by name, with the sum of their builds, each
 * architecture of each attempt being one.
 *
 * @param part that the names have in them, in any case
 */
export async function listPackageStatistics(
  sequelize: Sequelize,
  { part, limit, offset }: { part: string; limit: number; offset: number },
): Promise<{ rows: readonly Row[]; totalCount: number }> {
  const text = `WITH names AS MATERIALIZED (
      SELECT name FROM (SELECT name FROM source_package UNION SELECT DISTINCT package FROM build_record) known
      WHERE strpos(lower(name), lower($1)) > 0
    )
    SELECT total.count AS total_count, ${SHOWN}
    FROM (SELECT count(*)::integer AS count FROM names) total
    LEFT JOIN (SELECT name FROM names ORDER BY name LIMIT $2 OFFSET $3) page ON true ${STATISTICS}
    ORDER BY page.name`;
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
