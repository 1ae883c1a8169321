import type { Sequelize } from 'sequelize';
import { query, type Row } from '../sql/query.ts';

/**
 * What came of builds in each of the latest hours, the oldest first and the hour of `now` last. Each attempt counts: as
 * accepted in the hour in which it was asked for, and by its end in the hour in which it ended.
 *
 * @returns rows of from, accepted, completed, failed, cancelled, failures (how many of each class, without cancelled),
 * and of what the PPA has built median_build_ms and p90_build_ms, and how long it waited for its start: median_wait_ms
 * and p90_wait_ms
 */
export async function readThroughput(
  sequelize: Sequelize,
  { hours, now }: { hours: number; now: Date },
): Promise<readonly Row[]> {
  const text = `SELECT hour AS "from", accepted, completed, failed, cancelled, failures, median_build_ms, p90_build_ms,
      median_wait_ms, p90_wait_ms
    FROM generate_series(
      date_trunc('hour', $1::timestamptz, 'UTC') - ($2::integer - 1) * interval '1 hour',
      date_trunc('hour', $1::timestamptz, 'UTC'), interval '1 hour'
    ) hour,
    LATERAL (
      SELECT count(*)::integer AS accepted FROM (
        SELECT FROM build WHERE requested_at >= hour AND requested_at < hour + interval '1 hour'
        UNION ALL
        SELECT FROM build_attempt WHERE requested_at >= hour AND requested_at < hour + interval '1 hour'
      ) requested
    ) requests,
    LATERAL (
      SELECT count(*) FILTER (WHERE state = 'completed')::integer AS completed,
        count(*) FILTER (WHERE state = 'failed' AND NOT is_cancelled)::integer AS failed,
        count(*) FILTER (WHERE state = 'failed' AND is_cancelled)::integer AS cancelled
      FROM (
        SELECT state, coalesce(failure ->> 'class' = 'cancelled', false) AS is_cancelled
        FROM build WHERE finished_at >= hour AND finished_at < hour + interval '1 hour'
        UNION ALL
        SELECT state, coalesce(failure ->> 'class' = 'cancelled', false)
        FROM build_attempt WHERE finished_at >= hour AND finished_at < hour + interval '1 hour'
      ) ended
    ) ends,
    LATERAL (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS median_build_ms,
        percentile_cont(0.9) WITHIN GROUP (ORDER BY duration_ms) AS p90_build_ms
      FROM build_record
      WHERE finished_at >= hour AND finished_at < hour + interval '1 hour'
        AND state = 'completed' AND duration_ms IS NOT NULL
    ) durations,
    LATERAL (
      SELECT coalesce(jsonb_object_agg(class, count), '{}') AS failures FROM (
        SELECT class, count(*) FROM (
          SELECT failure ->> 'class' AS class FROM build
          WHERE finished_at >= hour AND finished_at < hour + interval '1 hour'
          UNION ALL
          SELECT failure ->> 'class' FROM build_attempt
          WHERE finished_at >= hour AND finished_at < hour + interval '1 hour'
        ) ended WHERE class IS NOT NULL AND class <> 'cancelled' GROUP BY class
      ) counted
    ) classes,
    LATERAL (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY wait_ms) AS median_wait_ms,
        percentile_cont(0.9) WITHIN GROUP (ORDER BY wait_ms) AS p90_wait_ms
      FROM (
        SELECT extract(epoch FROM (one ->> 'started_at')::timestamptz - requested_at) * 1000 AS wait_ms
        FROM build, jsonb_array_elements(architecture_builds) one
        WHERE finished_at >= hour AND finished_at < hour + interval '1 hour' AND one ->> 'started_at' IS NOT NULL
      ) waits WHERE wait_ms >= 0
    ) waits
    ORDER BY hour`;
  return query(sequelize, text, [now, hours]);
}
