import { Context } from '@temporalio/activity';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { placeOf, publicationOf, waitingCopy, type Copy } from './target-place.ts';

/**
 * Has a source and its binaries copied to the target, unless they are there or the copy waits in its queue: an earlier
 * attempt, or an earlier try of this, may have sent it. Launchpad answers before it makes the copy, and puts the same
 * copy into the queue as often as it is sent. Once Temporal has given it up it sends none: the landing may have said by
 * then that nothing is published.
 *
 * @returns `refused`: Launchpad's own words, where it does not take the request
 * @throws CancelledFailure where it was given up before it was sent
 */
export function copyPackage({ ppaClient }: Pick<ActivityDependencies, 'ppaClient'>) {
  return async ({
    source,
    version,
    ...copy
  }: Copy & PackageVersion): Promise<{ refused?: string }> => {
    const one = { source, version };
    const state = await publicationOf(ppaClient, copy, one);
    if (state === 'pending' || state === 'published') return {};
    if (await waitingCopy(ppaClient, copy, one)) return {};
    const { cancellationSignal } = Context.current();
    const refusal = await ppaClient.copyPackage(placeOf(copy, one), copy.ppa, cancellationSignal);
    return refusal ? { refused: refusal.said } : {};
  };
}
