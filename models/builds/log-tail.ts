import type { Sequelize } from 'sequelize';
import { addToTail, type GrowingText, type TailProblem } from '../../domain/builds/log-tail.ts';
import { query } from '../sql/query.ts';

/** One build of an attempt, by what its log is named by. */
export type TailOf = {
  buildId: number;
  attempt: number;
  package: string;
  architecture: string;
};

/** What is known of the log of a build that is under way. */
export type LogTail = GrowingText & { seenAt: Date | null; problem: TailProblem | null };

/** A page of the PPA that a worker reads now; `reading` is its number. */
export type TailReading = TailOf & { pageUrl: string; reading: number };

/** What nobody has looked at for so long goes. */
const KEPT_MS = 3_600_000;

const KEY = 'build_id = $1 AND package = $2 AND architecture = $3 AND attempt = $4';
const keyOf = (of: TailOf) => [of.buildId, of.package, of.architecture, of.attempt];

/** What is known of a tail; undefined where nobody has looked for it in this attempt. */
export async function readTail(sequelize: Sequelize, of: TailOf): Promise<LogTail | undefined> {
  const [row] = await query<LogTail>(
    sequelize,
    `SELECT text, text_end AS "end", seen_at AS "seenAt", problem FROM log_tail WHERE ${KEY}`,
    keyOf(of),
  );
  return row;
}

/**
 * Keeps that somebody looks at a log that is being written: workers read its end for so long. That of an earlier
 * attempt makes room for it.
 */
export async function wantTail(
  sequelize: Sequelize,
  of: TailOf & { pageUrl: string },
  forMs: number,
): Promise<void> {
  await query(
    sequelize,
    `INSERT INTO log_tail (build_id, package, architecture, attempt, page_url, wanted_until, read_at)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6::double precision * interval '1 ms', clock_timestamp())
     ON CONFLICT (build_id, package, architecture) DO UPDATE
       SET attempt = EXCLUDED.attempt, page_url = EXCLUDED.page_url, wanted_until = EXCLUDED.wanted_until,
         read_at = CASE WHEN log_tail.attempt = EXCLUDED.attempt THEN log_tail.read_at ELSE EXCLUDED.read_at END,
         text = CASE WHEN log_tail.attempt = EXCLUDED.attempt THEN log_tail.text ELSE '' END,
         text_end = CASE WHEN log_tail.attempt = EXCLUDED.attempt THEN log_tail.text_end ELSE 0 END,
         seen_at = CASE WHEN log_tail.attempt = EXCLUDED.attempt THEN log_tail.seen_at END,
         problem = CASE WHEN log_tail.attempt = EXCLUDED.attempt THEN log_tail.problem END
       -- Who looks does so every few seconds.
       WHERE log_tail.attempt <> EXCLUDED.attempt
         OR log_tail.wanted_until < clock_timestamp() + $6::double precision / 2 * interval '1 ms'`,
    [...keyOf(of), of.pageUrl, forMs],
  );
}

/**
 * Takes on the tails that are due longest, for this worker alone.
 *
 * @param leaseMs after so long without a result, another may
 */
export async function takeOnTails(
  sequelize: Sequelize,
  limit: number,
  leaseMs: number,
): Promise<TailReading[]> {
  return query<TailReading>(
    sequelize,
    `UPDATE log_tail SET readings = readings + 1,
       read_at = clock_timestamp() + $1::double precision * interval '1 ms'
     WHERE (build_id, package, architecture) IN (
       SELECT build_id, package, architecture FROM log_tail
       WHERE wanted_until > clock_timestamp() AND read_at <= clock_timestamp()
       ORDER BY read_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING build_id AS "buildId", package, architecture, attempt, page_url AS "pageUrl", readings AS reading`,
    [leaseMs, limit],
  );
}

/**
 * Keeps what a reading has found, unless another has begun since.
 *
 * @param found the text that the page showed, or why there is none: what was there before stays then. Undefined: it was
 * not made
 * @param againMs the next reading is after so long
 */
export async function endReading(
  sequelize: Sequelize,
  of: TailReading,
  found: { shown: string } | { problem: TailProblem } | undefined,
  againMs: number,
): Promise<void> {
  const before = await readTail(sequelize, of);
  if (!before) return;
  const isShown = found !== undefined && 'shown' in found;
  const { text, end } = isShown ? addToTail(before, found.shown) : before;
  const problem = isShown ? null : (found?.problem ?? before.problem);
  await query(
    sequelize,
    `UPDATE log_tail SET text = $6, text_end = $7, problem = $8,
       seen_at = CASE WHEN $9 THEN clock_timestamp() ELSE seen_at END,
       read_at = clock_timestamp() + $10::double precision * interval '1 ms'
     WHERE ${KEY} AND readings = $5`,
    [...keyOf(of), of.reading, text, end, problem, isShown, againMs],
  );
}

/** Removes the tails that nobody looks at any more. */
export async function removeUnwantedTails(sequelize: Sequelize): Promise<void> {
  await query(
    sequelize,
    "DELETE FROM log_tail WHERE wanted_until < clock_timestamp() - $1::double precision * interval '1 ms'",
    [KEPT_MS],
  );
}
