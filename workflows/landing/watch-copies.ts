import { ActivityFailure } from '@temporalio/workflow';
import type { PolledCopy } from '../../activities/landing/poll-targets.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import { listed } from '../../domain/text/listed.ts';
import { maxPollDelayMs } from '../poll-schedule.ts';
import { faultOf, unpublished, type Fault } from './copy-fault.ts';
import type { LandingAttempt } from './landing-attempt.ts';

/** Launchpad's queues in which a copy waits for a person. */
const FOR_A_PERSON: readonly unknown[] = ['New', 'Unapproved'];
const MAX_NAMED = 3;
/** Of the longest pause between two rounds: each takes some calls for each package. */
const MS_FOR_EACH = 6_000;

/** Why packages are not published: what is certain by now, and the fault of a copy that may come out all the same. */
type Outcome = { certain: readonly Fault[]; unanswered?: Fault };

/**
 * Watches all copies until the target has published them, or their time is over. Each that is out is reported at once,
 * and so is what the landing waits for besides time: a person at the target, and a failure that is certain by now.
 *
 * @param watched.unsent what is not in the target, and was not sent there
 * @param watched.faults of a copy that was refused, or not answered
 * @returns why packages are not published: one fault for a package at most, none of a package that is out
 */
export async function watchCopies(
  attempt: LandingAttempt,
  {
    sent,
    unsent,
    seenUploads,
    endsAtMs,
    faults,
  }: {
    sent: readonly PackageVersion[];
    unsent: readonly PackageVersion[];
    seenUploads: Readonly<Record<string, string>>;
    endsAtMs: number;
    faults: readonly Fault[];
  },
): Promise<Fault[]> {
  const { input, ppa } = attempt;
  const { target, limits, requestedAtMs } = input;
  const maxPollMs = maxPollDelayMs(limits.publicationMs);
  const leftMs = () => Math.max(endsAtMs - Date.now(), 1);
  let left = [...sent];
  let rejections: Fault[] = [];
  let told: string | undefined;
  for (let waitMs = limits.pollMs; ; waitMs *= 2) {
    const polled = await poll();
    if (!Array.isArray(polled))
      return firstOfEach(
        faultsOfCopies(),
        rejections,
        left.map(({ source }) => faultOf(attempt, source, polled)),
      );
    const out = polled.filter(({ isPublished }) => isPublished);
    left = left.filter(({ source }) => out.every((one) => one.source !== source));
    // One that was rejected is asked for again beside the others: of two copies of it the other may be let in.
    const rejected = polled.filter(({ held }) => held === 'Rejected');
    const open = polled.filter((one) => !out.includes(one) && !rejected.includes(one));
    rejections = rejected.map(unpublished);
    markUnpublishable(attempt, sourcesOf([...unsent, ...rejected]));
    const known = firstOfEach(faultsOfCopies(), rejections);
    const waitsFor = waitText(open, outcomeOf(known), `${target.archive} ${target.series}`);
    const waits = waitsFor === undefined ? {} : { waitsFor };
    for (const { source } of out) await attempt.setPart(source, { state: 'published' }, waits);
    if (out.length === 0 && waitsFor !== told) await attempt.report(waits);
    told = waitsFor;
    if (open.length === 0) return known;
    if (Date.now() >= endsAtMs) return firstOfEach(known, open.map(unpublished));
    waitMs = Math.min(waitMs, Math.max(maxPollMs, left.length * MS_FOR_EACH));
    const names = listed(sourcesOf(open), MAX_NAMED);
    await attempt.waitUntil(() => false, Math.min(waitMs, leftMs()), `${names} in the target`);
  }

  /** Those of the copies; for one that is out all the same, those of the packages that it kept from being sent. */
  function faultsOfCopies(): Fault[] {
    return faults.flatMap((fault): Fault[] => {
      const [, source] = fault;
      const isOut = sourcesOf(sent).includes(source) && !sourcesOf(left).includes(source);
      return isOut ? unsentAfter(fault) : [fault];
    });
  }

  /** The faults of the packages that a copy without an answer has kept from being sent. */
  function unsentAfter([failureClass, source]: Fault): Fault[] {
    const why = `not sent, as the copy of ${source} had no answer`;
    return unsent.map((one) => [failureClass, one.source, why]);
  }

  /** A copy that was sent without an answer may come out all the same: then only the others fail. */
  function outcomeOf(known: readonly Fault[]): Outcome {
    const unanswered = known.find(
      (one) => faults.includes(one) && sourcesOf(sent).includes(one[1]),
    );
    if (!unanswered) return { certain: known };
    const others = known.filter((one) => one !== unanswered);
    return { certain: [...unsentAfter(unanswered), ...others], unanswered };
  }

  /** @returns what it has failed with, where it has for good */
  async function poll(): Promise<PolledCopy[] | ActivityFailure> {
    if (left.length === 0) return [];
    const ofLeft = Object.entries(seenUploads).filter(([source]) =>
      sourcesOf(left).includes(source),
    );
    const copies = { ...attempt.name, ppa, target, requestedAtMs, packages: left };
    try {
      return await attempt.activities.pollTargets(leftMs(), {
        ...copies,
        seenUploads: Object.fromEntries(ofLeft),
      });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return error;
    }
  }
}

/** Notes which packages the target cannot publish any more; the next report says so. */
function markUnpublishable({ parts }: LandingAttempt, sources: readonly string[]): void {
  for (const part of parts)
    if (sources.includes(part.source)) part.unpublishable = true;
    else delete part.unpublishable;
}

/** Of several faults of one package the first. */
function firstOfEach(...faults: readonly (readonly Fault[])[]): Fault[] {
  const bySource = new Map<string, Fault>();
  for (const fault of faults.flat()) if (!bySource.has(fault[1])) bySource.set(fault[1], fault);
  return [...bySource.values()];
}

/** What it waits for, in words; undefined where that is nothing but time. */
function waitText(
  open: readonly PolledCopy[],
  { certain, unanswered }: Outcome,
  place: string,
): string | undefined {
  if (open.length === 0) return undefined;
  const held = open.filter((one) => FOR_A_PERSON.includes(one.held));
  const heldNames = held.map(({ source, held: queue }) => `${source} (${queue ?? ''})`);
  const person = `a person to let in ${listed(heldNames, MAX_NAMED)} at ${place}`;
  const what = held.length > 0 ? person : `${listed(sourcesOf(open), MAX_NAMED)} to be published`;
  if (certain.length > 0) return `${what}, and fails then: ${listed(certain.map(said), MAX_NAMED)}`;
  if (!unanswered) return held.length === 0 ? undefined : person;
  const [, source, why] = unanswered;
  return `${what}, and fails if ${source} does not come out: ${why}`;
}

function said([, source, why]: Fault): string {
  return `${source}: ${why}`;
}

function sourcesOf(copies: readonly { source: string }[]): string[] {
  return copies.map(({ source }) => source);
}
