import type { Sequelize } from 'sequelize';
import { MAX_BASELINE_AGE_DAYS } from '../../domain/landings/landing-policy.ts';
import { query } from '../sql/query.ts';

/** Rows that one statement reads, wanted or not. Each may name many files. */
const PAGE = 500;

/** What was wanted since `$1`, of builds and landings. */
const ENDED_LATER = 'finished_at IS NULL OR finished_at > $1';

/** The URLs of the sources of a landing, which has no builds while it waits for its turn. */
const OF_LANDING = "jsonb_path_query_array(packages, '$[*].files[*]')";

/** The images that a landing was tested in, those that these are made from, and those that its ticket shows. */
const IMAGES_OF_LANDING = `(
    SELECT coalesce(jsonb_agg(url), '[]') FROM (
      SELECT image.url FROM (
        SELECT image_id FROM test_run WHERE test_run.landing_id = landing.id UNION SELECT landing.base_image_id
      ) AS tested JOIN image AS own ON own.id = tested.image_id
        JOIN image ON image.id IN (own.id, own.base_image_id)
      UNION SELECT reference FROM ticket_artifact
      WHERE ticket_artifact.ticket_id = landing.ticket_id AND type = 'IMAGE'
    ) AS used)`;

const BUILDS = pageOf('build', 'source_packages', ENDED_LATER);
const LANDINGS = pageOf('landing', OF_LANDING, ENDED_LATER);
const IMAGES_OF_LANDINGS = pageOf('landing', IMAGES_OF_LANDING, ENDED_LATER);
const SUBTICKET_ARTIFACTS = pageOf(
  'subticket_artifact',
  'jsonb_build_array(reference)',
  'greatest(ticket.updated_at, subticket.updated_at, subticket_artifact.updated_at) > $1',
  'JOIN subticket ON subticket.id = subticket_id JOIN ticket ON ticket.id = subticket.ticket_id',
);
const TICKET_ARTIFACTS = pageOf(
  'ticket_artifact',
  'jsonb_build_array(reference)',
  'greatest(ticket.updated_at, ticket_artifact.updated_at) > $1',
  'JOIN ticket ON ticket.id = ticket_id',
);

/**
 * The lists of URLs of those of the next `$3` rows after `$2` that are wanted, and the id of the last row. A page of
 * wanted rows could be behind more old ones than a statement has the time to read: rows stay for ever.
 */
function pageOf(table: string, urls: string, isWanted: string, joins = ''): string {
  return `
    SELECT max(${table}.id) AS last, coalesce(jsonb_agg(${urls}) FILTER (WHERE ${isWanted}), '[]') AS urls
    FROM (SELECT * FROM ${table} WHERE id > $2 ORDER BY id LIMIT $3) AS ${table} ${joins}`;
}

/**
 * What names the files of a folder: the sources that callers have stored, and the images that testers have made. Oldest
 * first, by `$2`.
 */
const NAMING = {
  sources: [BUILDS, LANDINGS, SUBTICKET_ARTIFACTS, TICKET_ARTIFACTS],
  images: [IMAGES_OF_LANDINGS, TICKET_ARTIFACTS],
} as const;

/** Files that rows name by their URLs. */
export type NamedFiles = keyof typeof NAMING;

/** A landing takes for new enough what was so when its tests were planned, some time after its request. */
const OLDEST_PLAN = 'least($2, (SELECT min(requested_at) FROM landing WHERE finished_at IS NULL))';

/**
 * Those of some rows `$1` whose files nobody needs from a time `$2` on. A later attempt of a landing may show the files
 * of an earlier one's run; a run without a landing is shown by all landings whose tests are compared with it, and for a
 * year more landings may be.
 */
const ENDED = {
  build: 'SELECT id FROM build WHERE id = ANY($1) AND finished_at < $2',
  landing: 'SELECT id FROM landing WHERE id = ANY($1) AND finished_at < $2',
  test_run: `
    SELECT run.id FROM test_run AS run LEFT JOIN landing ON landing.id = run.landing_id
    WHERE run.id = ANY($1) AND run.ended_at < $2
      AND CASE WHEN run.landing_id IS NULL
        THEN run.ended_at < ${OLDEST_PLAN} - interval '${MAX_BASELINE_AGE_DAYS * 24} hours'
        ELSE landing.finished_at < $2
      END
      AND NOT EXISTS (
        SELECT FROM test_verdict AS verdict JOIN landing AS compared ON compared.id = verdict.landing_id
        WHERE verdict.baseline_run_id = run.id AND (compared.finished_at IS NULL OR compared.finished_at >= $2))`,
} as const;

/** What has files of its own in the data store. */
export type FileOwner = keyof typeof ENDED;

/**
 * Takes the turn of a sweep of the data store, which all processes share. A sweep that is said to begin later than the
 * next one was taken by a clock that was wrong: it keeps nobody from the turn.
 *
 * @param everyMs a sweep that began no longer ago is recent enough
 * @returns false where another process had the turn since
 */
export async function takeFileSweep(
  sequelize: Sequelize,
  now: Date,
  everyMs: number,
): Promise<boolean> {
  const taken = await query(
    sequelize,
    `INSERT INTO file_sweep AS sweep (begun_at) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET begun_at = $1
     WHERE sweep.begun_at NOT BETWEEN $2 AND $3 RETURNING begun_at`,
    [now, new Date(now.getTime() - everyMs), new Date(now.getTime() + everyMs)],
  );
  return taken.length > 0;
}

/** @returns those of some builds, landings or runs of tests that ended before a time, and are not needed since */
export async function endedBefore(
  sequelize: Sequelize,
  owner: FileOwner,
  ids: readonly number[],
  before: Date,
): Promise<Set<number>> {
  const rows = await query<{ id: number }>(sequelize, ENDED[owner], [ids, before]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * The URLs of files that are still wanted, page by page: of builds and landings that run or ended since a time, and of
 * tickets that changed since then.
 *
 * @param page rows that one statement reads
 */
export async function* wantedFiles(
  sequelize: Sequelize,
  files: NamedFiles,
  since: Date,
  page = PAGE,
): AsyncGenerator<string[]> {
  for (const naming of NAMING[files])
    for (let after: number | null = 0; after !== null;) {
      const rows: { last: number | null; urls: string[][] }[] = await query(sequelize, naming, [
        since,
        after,
        page,
      ]);
      yield rows.flatMap(({ urls }) => urls.flat());
      after = rows[0]?.last ?? null;
    }
}

/**
 * When the first of the landings was requested whose images are made or whose tests run now: which images and indexes
 * of archives they use, their workflows may know alone.
 *
 * @returns null where there is none
 */
export async function firstUnderTest(sequelize: Sequelize): Promise<Date | null> {
  const [row] = await query<{ at: Date | null }>(
    sequelize,
    "SELECT min(requested_at) AS at FROM landing WHERE finished_at IS NULL AND phase IN ('imaging', 'testing')",
  );
  return row?.at ?? null;
}

/**
 * The URLs of sources that are wanted since a time: of builds and landings that were requested or retried since, and of
 * artifacts that were added since. Indexes find them.
 *
 * @param wantedSince builds that ended before are not counted, as in `wantedFiles`
 */
export async function newlyWantedSources(
  sequelize: Sequelize,
  since: Date,
  wantedSince: Date,
): Promise<string[]> {
  const rows = await query<{ url: string }>(
    sequelize,
    `SELECT jsonb_array_elements_text(source_packages) AS url FROM build
     WHERE requested_at > $1 AND (finished_at IS NULL OR finished_at > $2)
     UNION ALL SELECT jsonb_array_elements_text(${OF_LANDING}) FROM landing WHERE requested_at > $1
     UNION ALL SELECT reference FROM subticket_artifact WHERE created_at > $1
     UNION ALL SELECT reference FROM ticket_artifact WHERE created_at > $1`,
    [since, wantedSince],
  );
  return rows.map(({ url }) => url);
}

/**
 * The URLs of sources that tickets have named since a time by a change of any kind: of a ticket, a subticket or an
 * artifact. No index finds them: it reads these tables to their ends.
 */
export async function sourcesOfChangedTickets(
  sequelize: Sequelize,
  since: Date,
): Promise<string[]> {
  const rows = await query<{ url: string }>(
    sequelize,
    `WITH changed AS MATERIALIZED (SELECT id FROM ticket WHERE updated_at > $1)
     SELECT reference AS url FROM subticket_artifact
     WHERE updated_at > $1 OR subticket_id IN (
       SELECT id FROM subticket WHERE updated_at > $1 OR ticket_id IN (SELECT id FROM changed))
     UNION ALL SELECT reference FROM ticket_artifact
     WHERE updated_at > $1 OR ticket_id IN (SELECT id FROM changed)`,
    [since],
  );
  return rows.map(({ url }) => url);
}
