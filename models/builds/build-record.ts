import type { Sequelize, Transaction } from 'sequelize';
import { CANCELLED_BUILD } from '../../domain/builds/build-state.ts';
import type { Failure } from '../../domain/builds/failure.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import type { Build } from './build.ts';
import { query, type Row } from '../sql/query.ts';

/** What became of a package on an architecture in an attempt that has ended. */
export const RECORD_STATES = ['completed', 'failed', 'cancelled'] as const;
type RecordState = (typeof RECORD_STATES)[number];

/** Of an integer column: 24 days, and no build takes as long. */
const MAX_MS = 2 ** 31 - 1;
/** How many of the latest successful builds say how long the next one takes. */
const EXPECTED_FROM = 20;
/** How many of the latest builds of a package say which architectures it is built on. */
const SAMPLED_BUILDS = 100;

/**
 * Keeps what the PPA made of each package on each architecture in an attempt of a build, in the transaction that ends
 * the attempt. What an earlier attempt has built stays built, and what it left as it was is shown again: neither is
 * kept twice.
 */
export async function keepBuildRecords(
  sequelize: Sequelize,
  build: Pick<Build, 'id' | 'attempt' | 'series' | 'ppa'>,
  end: { builds: readonly ArchitectureBuild[]; failure: Failure | undefined; finishedAt: Date },
  transaction: Transaction,
): Promise<void> {
  if (end.builds.length === 0) return;
  const records = end.builds.map((one) => ({
    package: one.package,
    version: one.version,
    architecture: one.architecture,
    state: recordState(one, end.failure),
    duration_ms: durationOf(one),
    built_at: one.built_at ?? null,
  }));
  const text = `INSERT INTO build_record (
      build_id, attempt, package, version, architecture, series, ppa, state, duration_ms, built_at, finished_at
    )
    SELECT $1::integer, $2::integer, package, version, architecture, $3::text, $4::text, state, duration_ms, built_at,
      $5::timestamptz
    FROM jsonb_to_recordset($6::jsonb) AS ended (
      package text, version text, architecture text, state text, duration_ms integer, built_at timestamptz
    )
    WHERE NOT EXISTS (
      SELECT FROM build_record earlier WHERE earlier.build_id = $1
        AND (earlier.state = 'completed' OR earlier.built_at = ended.built_at)
        AND (earlier.package, earlier.version, earlier.architecture) = (ended.package, ended.version, ended.architecture)
    )
    ON CONFLICT DO NOTHING`;
  const { id, attempt, series, ppa } = build;
  const values = [id, attempt, series, ppa, end.finishedAt, JSON.stringify(records)];
  await query(sequelize, text, values, transaction);
}

/**
 * How long each package of a build takes on each architecture, in the order of both: the median of at most 20
 * successful builds that ended before this one. The architectures are those of the build, or before the PPA shows any,
 * those that the packages were built on lately.
 *
 * @returns rows of package, architecture, median_ms (null: never built there) and builds, which the median is of
 */
export async function readExpectedDurations(
  sequelize: Sequelize,
  buildId: number,
): Promise<readonly Row[]> {
  const text = `WITH this AS (
      SELECT architecture_builds, package_names, coalesce(finished_at, 'infinity') AS finished_at FROM build WHERE id = $1
    ), shown AS (
      SELECT DISTINCT package, architecture
      FROM this, jsonb_to_recordset(architecture_builds) AS one (package text, architecture text)
    ), expected AS (
      SELECT * FROM shown
      UNION
      SELECT name, lately.architecture
      FROM this, unnest(package_names) name, LATERAL (
        SELECT architecture FROM build_record WHERE package = name ORDER BY finished_at DESC LIMIT ${SAMPLED_BUILDS}
      ) lately
      WHERE NOT EXISTS (SELECT FROM shown)
    )
    SELECT package, architecture, median_ms, builds
    FROM expected, this, LATERAL (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS median_ms, count(*)::integer AS builds
      FROM (
        SELECT duration_ms FROM build_record earlier
        WHERE earlier.package = expected.package AND earlier.architecture = expected.architecture
          AND state = 'completed' AND duration_ms IS NOT NULL
          AND build_id <> $1 AND earlier.finished_at <= this.finished_at
        ORDER BY earlier.finished_at DESC LIMIT ${EXPECTED_FROM}
      ) latest
    ) median
    ORDER BY package, architecture`;
  return query(sequelize, text, [buildId]);
}

/** What was never at rest ended with the attempt: it was cancelled if that was, and else it failed. */
function recordState({ state, buildstate }: ArchitectureBuild, failure?: Failure): RecordState {
  if (state === 'completed') return 'completed';
  if (buildstate === CANCELLED_BUILD) return 'cancelled';
  return state !== 'failed' && failure?.class === 'cancelled' ? 'cancelled' : 'failed';
}

/** From the start to the end, as the PPA says; null where it does not, or where the build did not end. */
function durationOf({ state, started_at, built_at }: ArchitectureBuild): number | null {
  if (state !== 'completed' && state !== 'failed') return null;
  const durationMs = Date.parse(built_at ?? '') - Date.parse(started_at ?? '');
  return durationMs >= 0 ? Math.min(durationMs, MAX_MS) : null;
}
