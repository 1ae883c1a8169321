import { buildRecordState, type BuildRecord } from '../../domain/builds/build-state.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Tells whoever watches the log of build states that are not Launchpad's, as far as is known. */
export function alarmUnknownStates(
  { logger }: Pick<ActivityDependencies, 'logger'>,
  buildId: number,
  records: readonly BuildRecord[],
): void {
  for (const { buildState } of records)
    if (buildRecordState(buildState) === 'unknown')
      logger.warn(
        { buildId, alarm: 'unknown_build_state', buildState },
        'the PPA has a build state that is not known; it counts as active',
      );
}
