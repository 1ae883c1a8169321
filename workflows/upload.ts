import { patched } from '@temporalio/workflow';
import { ppaReference } from '../domain/packages/ppa.ts';
import {
  shownPackage,
  type CheckedPackage,
  type PackageVersion,
} from '../domain/packages/source-file.ts';
import type { BuildAttempt } from './build-attempt.ts';
import { orEndInTime } from './build-ended.ts';
import { enterNextLevel } from './levels.ts';
import { merge } from './merge.ts';
import { retryBuilds } from './retry-in-ppa.ts';

/**
 * Checks the sources, made first where the request is for a merge proposal, and uploads each package: `merging`,
 * `checking`, then `uploading`, then `accepting`.
 *
 * @throws BuildEnded where a source is wrong, or an upload does not get through
 */
export async function upload(attempt: BuildAttempt): Promise<void> {
  const { activities, watched } = attempt;
  const { cancelUrl, order } = attempt.input.request;
  const sourcePackages = await merge(attempt);
  await attempt.begin('checking');
  watched.packages = await orEndInTime(
    attempt,
    'timed_out',
    activities.checkSources(
      `fetch and check ${sourcePackages.length} files`,
      attempt.remainingMs(),
      { ...attempt.name, sourcePackages, cancelUrl, ...(order ? { order } : {}) },
    ),
  );
  await uploadNext(attempt);
}

/**
 * Uploads the packages of the next level; all of them where the request has no order. What an earlier attempt, or an
 * earlier request, has left in the PPA stays there, and its failed builds are asked for again.
 *
 * @throws BuildEnded where an upload does not get through
 */
export async function uploadNext(attempt: BuildAttempt): Promise<void> {
  const { watched } = attempt;
  const level = enterNextLevel(attempt);
  await attempt.begin('uploading');
  const held: PackageVersion[] = [];
  for (const [index, sourcePackage] of watched.packages.entries()) {
    if (index < watched.sent) continue;
    const { source, version, place } = sourcePackage;
    if (place?.level !== level) break;
    if (!attempt.isLeftOut(index)) {
      const { isUnclear, alreadyThere } = await uploadOne(attempt, index, sourcePackage);
      if (isUnclear) (watched.unclear ??= []).push(shownPackage(sourcePackage));
      if (alreadyThere) held.push({ source, version });
    }
    watched.sent += 1;
  }
  leaveOutFiles(attempt);
  // What failed of them, or was cancelled with the earlier attempt or request, fails this one otherwise.
  if (held.length > 0 && retriesHeld(attempt))
    await retryBuilds(attempt, held, { ofEarlierRequests: attempt.number === 1 });
  watched.uploadedAtMs = Date.now();
  // One that is watched reports it as it joins.
  if (!attempt.input.limits.ppaWatch) await attempt.begin('accepting');
}

/** Whether what the PPA has already is asked for again; each was added later. */
function retriesHeld({ number, input }: BuildAttempt): boolean {
  if (number === 1) return patched('retry-what-was-there');
  return input.request.order !== undefined || patched('retry-what-is-held');
}

/**
 * What a PPA is compared with is all that is needed of the files of an uploaded package. Their addresses are long, and
 * each poll would carry them.
 */
function leaveOutFiles(attempt: BuildAttempt): void {
  const { watched } = attempt;
  watched.unverified = attempt.lastSentPackages().map(({ files, ...described }) => ({
    ...described,
    files: files.map(({ name, sha256 }) => ({ name, sha256 })),
  }));
  watched.packages = watched.packages.map((one, index) =>
    index < watched.sent ? { ...one, files: [] } : one,
  );
}

/**
 * @param index its place among the packages; with the first, the others are looked at, too
 * @throws BuildEnded where it does not get through, or the whole build is out of time
 */
async function uploadOne(attempt: BuildAttempt, index: number, sourcePackage: CheckedPackage) {
  const { activities, watched } = attempt;
  const { request, ppa } = attempt.input;
  const { series, cancelUrl } = request;
  return orEndInTime(
    attempt,
    'upload_failed',
    activities.uploadSource(
      `${shownPackage(sourcePackage)} to ${ppaReference(ppa)}`,
      attempt.remainingMs(),
      {
        ...attempt.name,
        ppa,
        series,
        package: sourcePackage,
        cancelUrl,
        ...(index === 0 ? { others: watched.packages.slice(1) } : {}),
      },
    ),
  );
}
