import { ActivityFailure } from '@temporalio/workflow';
import type { PolledCopy } from '../../activities/landing/poll-targets.ts';
import type { LandingFailureClass } from '../../domain/landings/landing-failure.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import { listed } from '../../domain/text/listed.ts';
import { maxPollDelayMs } from '../poll-schedule.ts';
import { failureOfActivity } from './activity-failure.ts';
import type { LandingAttempt } from './landing-attempt.ts';

/** Why a package is not published: its class, the source, and a sentence. */
export type Fault = [LandingFailureClass, string, string];

/** Launchpad's queues in which a copy waits for a person. */
const FOR_A_PERSON: readonly unknown[] = ['New', 'Unapproved'];
const MAX_NAMED = 3;

/**
 * Watches all copies until the target has published them, or their time is over. Each that is out is reported at once,
 * and so is what the landing waits for besides time: a person at the target, and a failure that is certain by now.
 *
 * @param faults of copies that were not sent, or not answered
 * @returns these, and why others are not published: one for a package at most
 */
export async function watchCopies(
  attempt: LandingAttempt,
  {
    sent,
    seenUploads,
    endsAtMs,
    faults,
  }: {
    sent: readonly PackageVersion[];
    seenUploads: Readonly<Record<string, string>>;
    endsAtMs: number;
    faults: readonly Fault[];
  },
): Promise<Fault[]> {
  const { input, ppa } = attempt;
  const { target, limits, requestedAtMs, landingId } = input;
  const maxPollMs = maxPollDelayMs(limits.publicationMs);
  const leftMs = () => Math.max(endsAtMs - Date.now(), 1);
  const found = [...faults];
  const addFault = (...fault: Fault) => {
    if (!found.some(([, source]) => source === fault[1])) found.push(fault);
  };
  let left = [...sent];
  let known: string | undefined;
  for (let waitMs = limits.pollMs; left.length > 0; waitMs = Math.min(waitMs * 2, maxPollMs)) {
    const polled = await poll();
    if (!polled) break;
    const out = polled.filter(({ isPublished }) => isPublished);
    const rejected = polled.filter(({ held }) => held === 'Rejected');
    for (const { source } of rejected)
      addFault('copy_refused', source, 'somebody rejected it there');
    const isLeft = (source: string) => ![...out, ...rejected].some((one) => one.source === source);
    left = left.filter(({ source }) => isLeft(source));
    const open = polled.filter(({ source }) => isLeft(source));
    const waitsFor = waitText(open, found, `${target.archive} ${target.series}`);
    const waits = waitsFor === undefined ? {} : { waitsFor };
    for (const { source } of out) await attempt.setPart(source, { state: 'published' }, waits);
    if (out.length === 0 && waitsFor !== known) await attempt.report(waits);
    known = waitsFor;
    if (left.length === 0) break;
    if (Date.now() >= endsAtMs) {
      for (const one of open) addFault(...unpublished(one));
      break;
    }
    const names = listed(sourcesOf(open), MAX_NAMED);
    await attempt.waitUntil(() => false, Math.min(waitMs, leftMs()), `${names} in the target`);
  }
  return found;

  /** @returns undefined where that has failed for good, which is the fault of each */
  async function poll(): Promise<PolledCopy[] | undefined> {
    const copies = { ppa, target, requestedAtMs, landingId, packages: left, seenUploads };
    try {
      return await attempt.activities.pollTargets(leftMs(), copies);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const { class: why, message } = failureOfActivity(error, attempt.phase, attempt.heedsOutages);
      for (const { source } of left) addFault(why, source, message);
      return undefined;
    }
  }
}

function unpublished({ source, held, fault }: PolledCopy): Fault {
  if (fault !== undefined)
    return ['service_unavailable', source, `the target does not say whether it has it: ${fault}`];
  const why = held === undefined ? 'the target does not show it' : `it is held as ${held}`;
  return ['copy_not_seen', source, why];
}

/** What it waits for, in words; undefined where that is nothing but time. */
function waitText(
  open: readonly PolledCopy[],
  faults: readonly Fault[],
  place: string,
): string | undefined {
  if (open.length === 0) return undefined;
  const held = open.filter((one) => FOR_A_PERSON.includes(one.held));
  const heldNames = held.map(({ source, held: queue }) => `${source} (${queue ?? ''})`);
  const person = `a person to let in ${listed(heldNames, MAX_NAMED)} at ${place}`;
  if (faults.length === 0) return held.length === 0 ? undefined : person;
  const what = held.length > 0 ? person : `${listed(sourcesOf(open), MAX_NAMED)} to be published`;
  const failed = faults.map(([, source, why]) => `${source}: ${why}`);
  return `${what}, and fails then: ${listed(failed, MAX_NAMED)}`;
}

function sourcesOf(copies: readonly { source: string }[]): string[] {
  return copies.map(({ source }) => source);
}
