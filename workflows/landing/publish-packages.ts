import { ActivityFailure, CancellationScope } from '@temporalio/workflow';
import { UNNAMED_CALLER } from '../../domain/access/requester.ts';
import { failureOfAll, landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { freezeAt } from '../../domain/landings/landing-policy.ts';
import { shownPackage, type PackageVersion } from '../../domain/packages/source-file.ts';
import { maxPollDelayMs } from '../poll-schedule.ts';
import { assertNotRejected } from './await-approval.ts';
import { faultOf, unpublished, type Fault } from './copy-fault.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';
import { watchCopies } from './watch-copies.ts';

const SIGNAL_MS = 600_000;

/**
 * Enters the phase that publishes, once nobody has paused the landing.
 *
 * @param isReady asks, after each pause again, whether all is as it has to be
 * @returns whether it has: false where it is not ready
 * @throws LandingEnded where a freeze is on, it is rejected or cancelled, or nobody resumes it in time
 */
export async function beginPublishing(
  attempt: LandingAttempt,
  isReady: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const { signalMs = SIGNAL_MS } = attempt.input.limits;
  const unnamed = () => new LandingEnded(attempt.cancelled(UNNAMED_CALLER));
  let isLate = false;
  for (;;) {
    const pausedMs = await attempt.proceed();
    const isStillReady = await isReady();
    assertNotRejected(attempt);
    if (!isStillReady) return false;
    assertNotFrozen(attempt);
    if (await attempt.begin('publishing')) return true;
    // Its row says that it is paused, rejected or to be cancelled; the signal that tells so is on the way.
    attempt.phase = 'approving';
    if (isLate && pausedMs === 0) throw unnamed();
    const isHeeded = attempt.knows('rejections-count');
    const isRejected = () => isHeeded && attempt.decision?.decision === 'reject';
    isLate = !(await attempt.waitUntilWoken(signalMs, 'its cancellation', isRejected));
    if (isLate && !attempt.looksAgain) throw unnamed();
    // The answer tells of a rejection; a pause is read next.
    if (isLate) await attempt.report();
    assertNotRejected(attempt);
  }
}

/**
 * Copies what was built, sources and binaries, into the target, and waits until the target has published all of it. All
 * copies are checked before the first is sent: the target does not take several packages at once. A package that is
 * there already, from the same PPA, is not copied again. Where one is not published, the others that were sent are
 * waited for, so that the failure names what is out. From the check of the copies on, nothing cancels it.
 *
 * @param order their names, each after what it needs
 * @throws LandingEnded where the target refuses a copy or does not show it in time, or it was cancelled before the
 * first
 */
export async function publishPackages(
  attempt: LandingAttempt,
  order: readonly string[],
): Promise<void> {
  const packages = attempt
    .packageVersions()
    .toSorted((one, other) => order.indexOf(one.source) - order.indexOf(other.source));
  attempt.assertWanted();
  attempt.isBeingPublished = true;
  attempt.isShielded = attempt.knows('shielded-publishing');
  const publish = () => publishAll(attempt, packages);
  await (attempt.isShielded ? CancellationScope.nonCancellable(publish) : publish());
}

async function publishAll(
  attempt: LandingAttempt,
  packages: readonly PackageVersion[],
): Promise<void> {
  const { target, limits, requestedAtMs } = attempt.input;
  const { activities, ppa } = attempt;
  const from = { ...attempt.name, ppa, target, requestedAtMs };
  const endsAtMs = Date.now() + limits.publicationMs;
  const maxPollMs = maxPollDelayMs(limits.publicationMs);
  const leftMs = () => Math.max(endsAtMs - Date.now(), 1);
  const {
    refused,
    published = [],
    seenUploads = {},
  } = await activities.checkCopies(leftMs(), { ...from, packages });
  for (const part of attempt.parts) if (published.includes(part.source)) part.state = 'published';
  endIfAny(refused.map(({ source, message }) => ['copy_refused', source, message]));
  const sent: PackageVersion[] = [];
  const faults: Fault[] = [];
  for (const one of packages) {
    const fault = await orFault(one, copy(one));
    // Whether a copy has arrived whose answer has not is seen in the target.
    if (!fault || fault[0] === 'copy_not_seen' || fault[0] === 'service_unavailable')
      sent.push(one);
    if (!fault) continue;
    faults.push(fault);
    break;
  }
  if (attempt.watchesAllCopies) {
    const unsent = packages.filter((one) => !sent.includes(one) && !published.includes(one.source));
    endIfAny(await watchCopies(attempt, { sent, unsent, seenUploads, endsAtMs, faults }));
    return;
  }
  // Older code watched one after the other.
  for (const one of sent) {
    // Still older code named only what it had seen before the fault.
    if (faults.length > 0 && !attempt.knows('all-that-is-published')) break;
    const fault = await orFault(one, awaitPublication(one));
    if (!fault) await attempt.setPart(one.source, { state: 'published' });
    else if (!faults.some(([, source]) => source === one.source)) faults.push(fault);
  }
  endIfAny(faults);

  /** @returns why it is not sent; undefined where it is */
  async function copy(one: PackageVersion): Promise<Fault | undefined> {
    const { refused } = await activities.copyPackage(leftMs(), { ...from, ...one });
    return refused === undefined ? undefined : ['copy_refused', one.source, refused];
  }

  /** @returns the fault of a step; that of its activity, too, where it has failed for good */
  async function orFault(
    { source }: PackageVersion,
    step: Promise<Fault | undefined>,
  ): Promise<Fault | undefined> {
    try {
      return await step;
    } catch (error) {
      // Older code ended the landing at once.
      if (!attempt.isShielded || !(error instanceof ActivityFailure)) throw error;
      return faultOf(attempt, source, error);
    }
  }

  /** @returns why it is not published; undefined where it is */
  async function awaitPublication(one: PackageVersion): Promise<Fault | undefined> {
    const { source } = one;
    for (let waitMs = limits.pollMs; ; waitMs = Math.min(waitMs * 2, maxPollMs)) {
      const { isPublished, held } = await activities.pollTarget(leftMs(), {
        ...from,
        ...one,
        seenUpload: seenUploads[source],
      });
      if (isPublished) return undefined;
      if (held === 'Rejected' || Date.now() >= endsAtMs)
        return unpublished({ source, ...(held === undefined ? {} : { held }) });
      await attempt.waitUntil(() => false, Math.min(waitMs, leftMs()), `${source} in the target`);
    }
  }

  /** @throws LandingEnded where there is a fault: it is of the class of the first */
  function endIfAny(found: readonly Fault[]): void {
    const [first, ...others] = found.map(([failureClass, source, why]) =>
      landingFailureOf(failureClass, 'publishing', `${source}: ${why}`, { package: source }),
    );
    if (!first) return;
    const failure = failureOfAll(first, others);
    const names = attempt.parts.filter(({ state }) => state === 'published').map(shownPackage);
    const out = names.length === 0 ? 'nothing is published' : `published: ${names.join(', ')}`;
    throw new LandingEnded({ ...failure, message: `${failure.message}; ${out}` });
  }
}

/** One that was on when it was requested would have been refused: this one began since. @throws LandingEnded */
function assertNotFrozen({ input: { policy }, phase }: LandingAttempt): void {
  const freeze = freezeAt(policy?.freezes ?? [], Date.now());
  if (freeze)
    throw new LandingEnded(
      landingFailureOf(
        'frozen',
        phase,
        `the target is frozen until ${freeze.until}: ${freeze.why}`,
      ),
    );
}
