import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { placeOf, publicationOf, type Copy } from './target-place.ts';

/**
 * Asks whether the target has published a source and all binaries that the PPA has built of it.
 *
 * @param seenUpload link of what was last in the target's queue before the copy was asked for: it says nothing of the
 * copy, nor does what is older
 * @returns `held`: the queue in which the copy waits for a person, or was rejected by one
 */
export function pollTarget({ ppaClient }: Pick<ActivityDependencies, 'ppaClient'>) {
  return async ({
    source,
    version,
    seenUpload,
    ...copy
  }: Copy & PackageVersion & { seenUpload?: string | undefined }): Promise<{
    isPublished: boolean;
    held?: string;
  }> => {
    const one = { source, version };
    const state = await publicationOf(ppaClient, copy, one);
    if (state === 'published') return { isPublished: true };
    // What is there was let in, whatever became of another copy of it.
    if (state === 'pending') return { isPublished: false };
    const uploads = await ppaClient.heldUploads(placeOf(copy, one));
    const seenAt = uploads.findIndex(({ self_link: link }) => link === seenUpload);
    const since = seenAt < 0 ? uploads : uploads.slice(0, seenAt);
    // A copy that was sent twice is there twice: whoever rejects one may let the other in.
    const held = since.find(({ status }) => status !== 'Rejected') ?? since[0];
    return { isPublished: false, ...(held ? { held: held.status } : {}) };
  };
}
