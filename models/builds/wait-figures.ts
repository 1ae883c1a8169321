import { LRUCache } from 'lru-cache';
import type { Sequelize, Transaction } from 'sequelize';
import type { BuildPhase } from '../../domain/builds/build-phase.ts';
import { query } from '../sql/query.ts';

/** How many of the latest builds say how long the next one waits. */
const SAMPLED_BUILDS = 20;
/** A figure is that of the last minute: each build asks, and the builds before it change it little. */
const FRESH_MS = 60_000;
/** Callers choose the series. */
const MAX_KEPT = 1_000;
/** The queue is counted no further. */
const MAX_AHEAD = 1_000;

/**
 * How long builds stayed in a phase: the median of those stays of the latest 20 builds for a series that ended by the
 * build going on. What was given up, or cancelled, says nothing of how long it takes.
 *
 * @returns milliseconds; null where there were none
 */
export async function readUsualStay(
  sequelize: Sequelize,
  { series, phase }: { series: string; phase: BuildPhase },
  transaction?: Transaction,
): Promise<number | null> {
  const text = `SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM until - since) * 1000))::float8
      AS usually_ms
    FROM (
      SELECT id FROM build WHERE series = $1 AND finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT ${SAMPLED_BUILDS}
    ) latest, LATERAL (
      SELECT body ->> 'phase' AS phase, (body ->> 'phase_since')::timestamptz AS since,
        lead(body ->> 'phase') OVER told AS next_phase, lead((body ->> 'phase_since')::timestamptz) OVER told AS until
      FROM progress_event
      WHERE build_id = latest.id AND key NOT LIKE 'repeat-%'
      WINDOW told AS (PARTITION BY attempt ORDER BY seq)
    ) stay
    WHERE phase = $2 AND next_phase NOT IN ($2, 'collecting', 'failed', 'cancelled')`;
  const [row] = await query<{ usually_ms: number | null }>(
    sequelize,
    text,
    [series, phase],
    transaction,
  );
  return row?.usually_ms ?? null;
}

/**
 * `readUsualStay`, asked once a minute for each series and phase of which there is a figure.
 *
 * @param clock tells the time in milliseconds; not 0, which the cache takes for none
 */
export function createUsualStays(sequelize: Sequelize, clock: { now(): number } = performance) {
  const kept = new LRUCache<string, number>({
    max: MAX_KEPT,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: clock,
  });
  return async (
    of: { series: string; phase: BuildPhase },
    transaction: Transaction,
  ): Promise<number | null> => {
    const key = `${of.phase} ${of.series}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const stayMs = await readUsualStay(sequelize, of, transaction);
    if (stayMs !== null) kept.set(key, stayMs);
    return stayMs;
  };
}

/** How many requests were in the queue before one, at most 1,000. @param requestedAt when it was requested */
export async function countAhead(
  sequelize: Sequelize,
  requestedAt: Date,
  transaction?: Transaction,
): Promise<number> {
  const text = `SELECT count(*)::integer AS ahead FROM (
      SELECT FROM build WHERE phase = 'queued' AND requested_at < $1 LIMIT ${MAX_AHEAD}
    ) before`;
  const [row] = await query<{ ahead: number }>(sequelize, text, [requestedAt], transaction);
  return row?.ahead ?? 0;
}
