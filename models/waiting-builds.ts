import type { Sequelize } from 'sequelize';
import type { BuildState } from '../domain/build-source.ts';
import type { ArchitectureBuild } from '../domain/progress.ts';
import type { BuildTrouble } from './build-trouble.ts';
import { execute } from './statement.ts';

/** A build that is under way and does not get on by itself just now. Times are RFC 3339. */
export type WaitingBuild = {
  readonly id: number;
  readonly state: BuildState;
  readonly requested_at: string;
  readonly dispatched_at: string | null;
  readonly trouble: BuildTrouble | null;
  readonly architecture_builds: readonly ArchitectureBuild[];
};

/** The builds that have waited longest: for Temporal, a worker, a dependency, or for what fails to succeed. */
export async function readWaitingBuilds(
  sequelize: Sequelize,
  limit: number,
): Promise<readonly WaitingBuild[]> {
  const rows = await execute(sequelize, {
    text: `SELECT id, state, requested_at, dispatched_at, trouble, architecture_builds FROM build
           WHERE finished_at IS NULL AND (state = 'queued' OR trouble IS NOT NULL
             OR architecture_builds @> '[{"state": "dependency_wait"}]')
           ORDER BY requested_at, id LIMIT $1`,
    values: [limit],
  });
  return rows as readonly WaitingBuild[];
}
