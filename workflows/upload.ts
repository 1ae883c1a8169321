import { ppaReference } from '../domain/ppa.ts';
import { shownPackage } from '../domain/source-file.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { orEnd } from './build-ended.ts';
import { merge } from './merge.ts';

/**
 * Checks the sources, made first where the request is for a merge proposal, and uploads each package: `merging`,
 * `checking`, then `uploading`, then `accepting`.
 *
 * @throws BuildEnded where a source is wrong, or an upload does not get through
 */
export async function upload(attempt: BuildAttempt): Promise<void> {
  const { activities, watched } = attempt;
  const { request, ppa } = attempt.input;
  const { buildId, attempt: number = 1, series, cancelUrl } = request;
  const sourcePackages = await merge(attempt);
  await attempt.begin('checking');
  watched.packages = await orEnd(
    'timed_out',
    activities.checkSources(`fetch and check ${sourcePackages.length} files`, {
      buildId,
      sourcePackages,
      cancelUrl,
    }),
  );
  await attempt.begin('uploading');
  for (const [index, sourcePackage] of watched.packages.entries()) {
    const { isUnclear } = await orEnd(
      'upload_failed',
      activities.uploadSource(`${shownPackage(sourcePackage)} to ${ppaReference(ppa)}`, {
        buildId,
        attempt: number,
        ppa,
        series,
        package: sourcePackage,
        cancelUrl,
        ...(index === 0 ? { others: watched.packages.slice(1) } : {}),
      }),
    );
    watched.sent += 1;
    if (isUnclear) (watched.unclear ??= []).push(shownPackage(sourcePackage));
  }
  watched.uploadedAtMs = Date.now();
  await attempt.begin('accepting');
}
