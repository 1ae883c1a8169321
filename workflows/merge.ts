import type { BuildAttempt } from './build-attempt.ts';
import { orEndInTime } from './build-ended.ts';

/**
 * Whether an attempt has to make its source package of a merge proposal. A later one builds what an earlier has made.
 */
export function needsMerge({ input: { request } }: BuildAttempt): boolean {
  return request.merge !== undefined && request.sourcePackages.length === 0;
}

/**
 * Makes the source package of the request's merge proposal: `merging`.
 *
 * @returns the URLs of its files; those of the request where there is nothing to merge
 * @throws BuildEnded where the branches do not merge, or no source package can be made of them
 */
export async function merge(attempt: BuildAttempt): Promise<string[]> {
  const { merge: proposed, cancelUrl, sourcePackages } = attempt.input.request;
  if (!proposed || !needsMerge(attempt)) return sourcePackages;
  await attempt.begin('merging');
  const made = await orEndInTime(
    attempt,
    'timed_out',
    attempt.activities.mergeProposal(
      `merge ${proposed.source_branch} into ${proposed.target_branch}`,
      attempt.remainingMs(),
      { ...attempt.name, merge: proposed, cancelUrl },
    ),
  );
  return made.sourcePackages;
}
