import { labelsOf } from '../../domain/builds/build-labels.ts';
import type { BuildLimits } from '../../domain/builds/build-request.ts';
import { newBuildInput } from '../../domain/builds/build-workflow.ts';
import type { LandingAttemptName, LandingBuild } from '../../domain/landings/landing.ts';
import { openLandingBuild } from '../../models/landings/landing-build.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * The build of one package of a landing: one that is completed, or one whose workflow the landing's has to start.
 *
 * @throws AirlineError `conflict` where the landing has ended meanwhile
 */
export function openBuild({
  database,
  onRecorded,
}: Pick<ActivityDependencies, 'database' | 'onRecorded'>) {
  return async ({
    limits,
    ...of
  }: LandingAttemptName & { source: string; limits: BuildLimits }): Promise<LandingBuild> => {
    const build = await openLandingBuild(database.sequelize, database, of);
    onRecorded?.();
    if (build.state === 'completed') return { buildId: build.id, isBuilt: true };
    const { acceptedPpa: ppa, packagesToRetry, requestId } = build;
    const request = build.toRequest();
    return {
      buildId: build.id,
      isBuilt: false,
      workflowId: build.workflowId,
      input: newBuildInput({ request, ppa, limits, packagesToRetry }),
      labels: labelsOf({ request, ppa, requestId }),
    };
  };
}
