import type { Sequelize } from 'sequelize';
import {
  estimateLanding,
  type LandingEstimate,
  type UsualTimes,
} from '../../domain/landings/landing-estimate.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingAhead } from '../../domain/landings/landing.ts';
import type { Database } from '../database.ts';
import type { Landing } from './landing.ts';
import { query } from '../sql/query.ts';

/** How many of the latest completed landings at a target say how long the next one takes. */
const SAMPLED_LANDINGS = 20;
/** An estimate that moves by less is not written again: pages are told of each one. */
const CHANGE_MS = 60_000;

/** Of the latest attempts that were the first: a retry keeps what was built, and takes less time. */
const USUAL_TIMES = `
  SELECT phase, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS "medianMs", count(*)::integer AS landings
  FROM (
    SELECT latest.id, event.body->>'phase' AS phase,
      (extract(epoch FROM latest.finished_at - min(event.created_at)) * 1000)::float8 AS ms
    FROM (
      SELECT id, finished_at FROM landing
      WHERE (target, target_series, pocket) = ($1, $2, $3) AND phase = 'complete' AND attempt = 1
      ORDER BY finished_at DESC LIMIT ${SAMPLED_LANDINGS}
    ) latest JOIN landing_event event ON event.landing_id = latest.id
    GROUP BY latest.id, latest.finished_at, event.body->>'phase'
  ) took GROUP BY phase`;

/** What is read of a landing that comes first. */
const BEFORE = [
  'id',
  'phase',
  'phaseSince',
  'pausedBy',
  'cancelRequestedAt',
  'estimate',
  'target',
  'targetSeries',
  'pocket',
] as const satisfies (keyof Landing)[];

const LEASING_BEFORE = `
  SELECT count(*)::integer AS count FROM landing
  WHERE phase = 'leasing' AND finished_at IS NULL AND paused_at IS NULL AND archive = $1
    AND (phase_since, id) < ($2, $3)`;

/**
 * Keeps on the row of a landing in line when it is expected to begin and to be complete, as the rows of those before it
 * say now.
 *
 * @param ahead those that it waits for
 */
export async function keepEstimate(
  database: Pick<Database, 'sequelize' | 'Landing'>,
  landingId: number,
  ahead: readonly LandingAhead[],
): Promise<void> {
  const { Landing: Landings, sequelize } = database;
  const landing = await Landings.findByPk(landingId, { rejectOnEmpty: true });
  const { phase } = landing;
  if (phase !== 'queued' && phase !== 'leasing') return;
  const rows = await Landings.findAll({
    attributes: BEFORE,
    where: { id: ahead.map((one) => one.landing_id) },
  });
  const usual = new Map<string, UsualTimes>();
  for (const one of [landing, ...rows]) {
    const { place } = one;
    if (!usual.has(place)) usual.set(place, await readUsualTimes(sequelize, one));
  }
  const usualOf = ({ place }: Landing) => usual.get(place) ?? { target: place, toEnd: {} };
  const estimate = estimateLanding(
    {
      ...usualOf(landing),
      firstPhase: phase === 'queued' && landing.usesPool ? 'leasing' : 'building',
    },
    {
      before: rows.map((row) => ({ ...row.get({ plain: true }), usual: usualOf(row) })),
      needed: phase === 'queued' ? rows.length : 1 + (await countLeasingBefore(sequelize, landing)),
    },
    Date.now(),
  );
  if (!isNews(landing.estimate, estimate)) return;
  // It may have left the line meanwhile.
  await Landings.update({ estimate }, { where: { id: landingId, phase, finishedAt: null } });
}

async function readUsualTimes(
  sequelize: Sequelize,
  { place, target, targetSeries, pocket }: Landing,
): Promise<UsualTimes> {
  const rows = await query<{ phase: LandingPhase; medianMs: number; landings: number }>(
    sequelize,
    USUAL_TIMES,
    [target, targetSeries, pocket],
  );
  return {
    target: place,
    toEnd: Object.fromEntries(rows.map(({ phase, ...took }) => [phase, took])),
  };
}

async function countLeasingBefore(
  sequelize: Sequelize,
  { archive, phaseSince, id }: Landing,
): Promise<number> {
  const [row] = await query<{ count: number }>(sequelize, LEASING_BEFORE, [
    archive,
    phaseSince,
    id,
  ]);
  return row?.count ?? 0;
}

function isNews(before: LandingEstimate | null, now: LandingEstimate): boolean {
  if (!before || before.reason !== now.reason || before.based_on !== now.based_on) return true;
  const moved = (key: 'start_at' | 'complete_at') =>
    Math.abs(Date.parse(now[key] ?? '') - Date.parse(before[key] ?? '')) >= CHANGE_MS;
  return moved('start_at') || moved('complete_at');
}
