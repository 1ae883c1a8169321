import type { ActivityDependencies } from '../dependencies.ts';
import type { Copy } from './target-place.ts';

/**
 * Has an activity know what its landing has uploaded to PPAs of the pool: the target may let a copy in long after the
 * attempt that has sent it, when the landing has another PPA.
 */
export function knowingUploads<I extends Copy, R>(
  { database: { PpaLease } }: { database: { PpaLease: UploadsOfLandings } },
  activity: (input: I) => Promise<R>,
): (input: I) => Promise<R> {
  return async (input) => {
    const { landingId } = input;
    const uploads = landingId === undefined ? [] : await PpaLease.uploadsOf(landingId);
    return activity({ ...input, uploads });
  };
}

type UploadsOfLandings = Pick<ActivityDependencies['database']['PpaLease'], 'uploadsOf'>;
