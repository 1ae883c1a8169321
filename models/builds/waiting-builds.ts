import type { Sequelize } from 'sequelize';
import { BUILD_PHASES, type BuildPhase } from '../../domain/builds/build-phase.ts';
import type { BuildState } from '../../domain/builds/build-request.ts';
import { messageOfPhase, type ArchitectureBuild } from '../../domain/builds/progress.ts';
import { isWait } from '../../domain/builds/waiting.ts';
import type { LastError } from './last-error.ts';
import { query } from '../sql/query.ts';

/** In these, the PPA shows what an earlier attempt may have left. */
const IN_PPA = BUILD_PHASES.filter((phase) => messageOfPhase(phase) === 'INPROGRESS');
const WAITS = BUILD_PHASES.filter(isWait);

/** A build that is under way and does not get on by itself just now. */
export type WaitingBuild = {
  readonly id: number;
  readonly ticket_id: number;
  readonly ppa: string;
  readonly package_names: readonly string[];
  readonly state: BuildState;
  readonly phase: BuildPhase;
  /** When it came to what it waits for now: a step that fails, or else its phase. */
  readonly since: Date;
  readonly cancel_requested_at: Date | null;
  readonly dispatched_at: Date | null;
  readonly last_error: LastError | null;
  readonly architecture_builds: readonly ArchitectureBuild[];
};

/**
 * Builds that wait: for Temporal, a worker, the PPA's acceptance, a builder, a dependency, or for what fails to
 * succeed; and how many do in all. Those with a step that fails come first, as somebody may have to help; then the
 * longest waits.
 */
export async function readWaitingBuilds(
  sequelize: Sequelize,
  limit: number,
): Promise<{ builds: readonly WaitingBuild[]; total: number }> {
  const builds = await query<WaitingBuild & { readonly total: number }>(
    sequelize,
    `SELECT id, ticket_id, ppa, package_names, state, phase, coalesce((trouble->>'since')::timestamptz, phase_since) AS since, cancel_requested_at,
       dispatched_at, trouble AS last_error, architecture_builds, (count(*) OVER ())::integer AS total
     FROM build
     WHERE finished_at IS NULL
       AND (phase = ANY($3) OR trouble IS NOT NULL
         OR (phase = ANY($2) AND architecture_builds @> '[{"state": "dependency_wait"}]'))
     ORDER BY trouble IS NULL, since, id LIMIT $1`,
    [limit, IN_PPA, WAITS],
  );
  return { builds, total: builds[0]?.total ?? 0 };
}
