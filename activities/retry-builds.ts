import { buildRecordState } from '../domain/builds/build-state.ts';
import { buildHasFailed } from '../domain/builds/retry-choice.ts';
import type { PackageVersion } from '../domain/packages/source-file.ts';
import type { Ppa } from '../domain/packages/ppa.ts';
import { buildRecordOf } from './ppa/build-record.ts';
import type { ActivityDependencies } from './dependencies.ts';

/**
 * Asks the PPA to retry the failed builds of these packages that can be retried. A build that is under way counts as
 * retried: an earlier try of this activity, or somebody else, has asked for it.
 *
 * @returns how many of these builds the PPA has to do now; 0 where a package is not there
 */
export function retryBuilds({
  ppaClient,
  logger,
}: Pick<ActivityDependencies, 'ppaClient' | 'logger'>) {
  return async (input: {
    /** Inputs of older workflows lack it. */
    buildId?: number;
    ppa: Ppa;
    packages: PackageVersion[];
    /** Builds on others are left as they are. All where it is absent. */
    architectures?: string[];
  }): Promise<{ retried: number }> => {
    const builds = [];
    for (const wanted of input.packages) {
      const publications = await ppaClient.getPublishedSources(input.ppa, wanted);
      if (publications.length === 0) return { retried: 0 };
      for (const { self_link } of publications)
        builds.push(...(await ppaClient.getBuilds(self_link)));
    }
    let retried = 0;
    for (const build of builds) {
      const { architecture, buildState } = buildRecordOf(build);
      if (input.architectures?.includes(architecture) === false) continue;
      const state = buildRecordState(buildState);
      if (state === 'completed') continue;
      if (buildHasFailed({ state })) {
        if (!build.can_be_retried || !(await ppaClient.retry(build.self_link))) continue;
        logger.info({ build: build.self_link }, 'asked the PPA to retry a build');
      }
      retried += 1;
    }
    return { retried };
  };
}
