import type { Sequelize } from 'sequelize';
import { query } from '../sql/query.ts';
import { escapePattern } from '../tickets/ticket-search.ts';

/** So many PPAs are looked at, by name; there is one for each pool, person or ticket. */
const MAX_PPAS = 10_000;
/** So many builds of versions that begin alike are looked at. */
const MAX_VERSIONS = 1_000;

/** A package in a version, and a build of it where there was one. */
export type FoundVersion = { package: string; version: string; build_id: number | null };

/** The names of packages, known or built, that a text is a part of, in any case: the shortest first. */
export async function findPackages(
  sequelize: Sequelize,
  text: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ name: string }>(
    sequelize,
    `SELECT name FROM (SELECT name FROM source_package UNION SELECT package FROM package_statistics) known
     WHERE strpos(lower(name), lower($1)) > 0 ORDER BY length(name), name LIMIT $2`,
    [text, limit],
  );
  return rows.map(({ name }) => name);
}

/** The PPAs of builds that a text is a part of, in any case, by name. */
export async function findPpas(
  sequelize: Sequelize,
  text: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ ppa: string }>(
    sequelize,
    `WITH RECURSIVE known (ppa, nth) AS (
       (SELECT ppa, 1 FROM build ORDER BY ppa LIMIT 1)
       UNION ALL
       SELECT (SELECT ppa FROM build WHERE ppa > known.ppa ORDER BY ppa LIMIT 1), nth + 1
       FROM known WHERE ppa IS NOT NULL AND nth < ${MAX_PPAS}
     )
     SELECT ppa FROM known WHERE strpos(lower(ppa), lower($1)) > 0 ORDER BY ppa LIMIT $2`,
    [text, limit],
  );
  return rows.map(({ ppa }) => ppa);
}

/** The versions that begin with a text, of what was built or uploaded, the latest build first. */
export async function findVersions(
  sequelize: Sequelize,
  text: string,
  limit: number,
): Promise<FoundVersion[]> {
  return query<FoundVersion>(
    sequelize,
    `SELECT package, version, max(build_id) AS build_id FROM (
       (SELECT package, version, build_id FROM build_record WHERE version LIKE $1 LIMIT ${MAX_VERSIONS})
       UNION ALL
       (SELECT name, version, NULL FROM source_package_upload upload
        JOIN source_package package ON package.id = upload.source_package_id
        WHERE version LIKE $1 LIMIT ${MAX_VERSIONS})
     ) found (package, version, build_id)
     GROUP BY package, version ORDER BY max(build_id) DESC NULLS LAST, package, version LIMIT $2`,
    [`${escapePattern(text)}%`, limit],
  );
}
