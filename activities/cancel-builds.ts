import type { BuildRecord } from '../domain/build-state.ts';
import type { ActivityDependencies } from './index.ts';

/**
 * Asks the PPA to cancel every build that can be cancelled. Each record is read again first: what can be cancelled
 * changes by itself, and Launchpad answers 200 to a cancel that it ignores.
 *
 * @returns how many builds it asked for
 */
export function cancelBuilds({
  ppaClient,
  logger,
}: Pick<ActivityDependencies, 'ppaClient' | 'logger'>) {
  return async (input: { records: BuildRecord[] }): Promise<{ asked: number }> => {
    let asked = 0;
    for (const { selfLink } of input.records) {
      const build = await ppaClient.getBuild(selfLink);
      if (!build.can_be_cancelled) continue;
      await ppaClient.cancel(selfLink);
      logger.info({ build: selfLink }, 'asked the PPA to cancel a build');
      asked += 1;
    }
    return { asked };
  };
}
