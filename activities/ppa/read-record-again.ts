import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { unlessMissingInArchive } from '../../ppa/web-service.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { buildRecordOf } from './build-record.ts';

/**
 * Reads a build record by its own address, as one that the lists of its PPA do not have any more.
 *
 * @returns the record as it was, with an alarm in the log, where the PPA does not have it
 * @throws what the client of the PPA throws
 */
export async function readRecordAgain(
  { ppaClient, logger }: Pick<ActivityDependencies, 'ppaClient' | 'logger'>,
  record: BuildRecord,
): Promise<BuildRecord> {
  const build = await unlessMissingInArchive(ppaClient.getBuild(record.selfLink));
  if (build) return buildRecordOf(build);
  logger.warn(
    { build: record.selfLink, alarm: 'build_record_gone', buildState: record.buildState },
    'the PPA has no such build any more; it counts as it was',
  );
  return record;
}
