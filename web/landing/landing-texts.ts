import { suiteOf } from '../../domain/packages/archive.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import { listed } from '../../domain/text/listed.ts';
import { nothingPublishedText } from '../../domain/landings/nothing-published.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import { isCancelling, isOnItsWay } from '../build/cancel-and-retry.ts';
import { counted, minuteTime } from '../format.ts';
import type { Landing, LandingEstimate } from '../server/api-types.ts';
import { sentence } from '../../domain/text/sentence.ts';

const SHOWN_PACKAGES = 3;
const WHILE: Record<LandingPhase, string> = {
  queued: 'while it waited in line',
  leasing: 'while it waited for a PPA',
  building: 'while it was built',
  imaging: 'while the image was made',
  testing: 'while it was tested',
  approving: 'while it waited for an approval',
  publishing: 'while it was published',
  complete: 'at its end',
  failed: 'at its end',
  cancelled: 'at its end',
};

/** When a landing stopped, such as `while it was built`. */
export function whileText(phase: LandingPhase): string {
  return WHILE[phase];
}

/** The packages of a landing with their versions; of many, the first and how many more. */
export function packagesText({ parts }: Pick<Landing, 'parts'>): string {
  return listed(parts.map(shownPackage), SHOWN_PACKAGES);
}

/** Where a landing publishes, such as `ubuntu, noble-proposed`. */
export function targetText({
  target,
  target_series: series,
  pocket,
}: Pick<Landing, 'target' | 'target_series' | 'pocket'>): string {
  return `${target}, ${suiteOf(series, pocket)}`;
}

/** When a landing in line usually begins and is complete, or why nobody knows. */
export function estimateText({
  start_at: startAt,
  complete_at: completeAt,
  based_on: basedOn,
  reason,
}: LandingEstimate): string {
  if (startAt === null || completeAt === null)
    return `Nobody knows how long that takes. ${reason ?? ''}`;
  return `Usually it begins at ${minuteTime(startAt)} and is complete at ${minuteTime(completeAt)}, by the last ${counted(basedOn, 'landing')}.`;
}

/** What a landing waits for besides others that come first; undefined where that is nothing, or it goes no further. */
export function waitText(landing: Landing): string | undefined {
  const { paused_by: pausedBy, waits_for: what } = landing;
  if (what === null || pausedBy !== null || !isOnItsWay(landing)) return undefined;
  return sentence(`It waits for ${what}`);
}

/** What a landing does, or what it waits for, in a sentence. */
export function sentenceOf(landing: Landing): string {
  const { phase, parts, decision, ahead } = landing;
  const are = (...states: (typeof parts)[number]['state'][]) =>
    `${parts.filter(({ state }) => states.includes(state)).length} of ${counted(parts.length, 'package')}`;
  if (isCancelling(landing))
    return `${landing.cancel_requested_by ?? 'Somebody'} cancelled it. What runs is stopped, and ${nothingPublishedText(landing)}.`;
  if (landing.finished_at === null && landing.paused_by !== null)
    return `It was paused ${whileText(phase)}. What runs goes on, and nothing new begins until somebody resumes it.`;
  switch (phase) {
    case 'queued':
      if (ahead.length > 0)
        return `${counted(ahead.length, 'landing')} of the same packages ${ahead.length === 1 ? 'comes' : 'come'} first.`;
      return landing.dispatched_at === null
        ? 'It is about to be started. If it stays here, look at the status: Temporal may be away.'
        : 'It is first in line and starts at the next poll.';
    case 'leasing':
      return 'It builds in a PPA of the pool, and none is free yet.';
    case 'building':
      return `${are('built', 'published')} built in ${landing.ppa ?? 'its PPA'}.`;
    case 'imaging':
      return 'The packages are built. An image with them on top of the series is made, and the tests are planned.';
    case 'testing':
      return 'The packages are built. They are tested in the image.';
    case 'approving':
      return decision
        ? `${decision.by} has decided. It goes on within seconds.`
        : 'Everything is built. Once a person approves it, it is published.';
    case 'publishing':
      return `${are('published')} published in ${targetText(landing)}. It is too late to cancel it.`;
    case 'complete':
      return `${counted(parts.length, 'package is', 'packages are')} published in ${targetText(landing)}.`;
    default:
      return '';
  }
}
