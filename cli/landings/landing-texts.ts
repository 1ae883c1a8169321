import type {
  Landing,
  LandingEvent,
  LandingFailure,
} from '../../api/openapi/contract.generated.ts';
import type { LandingEstimate } from '../../domain/landings/landing-estimate.ts';
import { shownAhead } from '../../domain/landings/landing.ts';
import { movedText } from '../../domain/landings/target-moved.ts';
import { RENEWED_WHY } from '../../domain/landings/tested-again.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { toneOf, type Colour } from '../output/colours.ts';
import { fieldList } from '../output/field-list.ts';
import { clockTime, relativeTime } from '../output/time-format.ts';

/** As wide as the longest phase. */
const PHASE_WIDTH = 'publishing'.length;

/** What a landing waits for: in words, else the landings before it; undefined where there are none. */
export function waitText({
  waits_for: words,
  ahead = [],
}: Pick<LandingEvent, 'waits_for' | 'ahead'>): string | undefined {
  if (words !== undefined) return printableLine(words);
  return ahead.length > 0 ? shownAhead(ahead) : undefined;
}

/**
 * `begins in 2 h, complete in 5 h (based on the last 12 landings)`; why nobody knows; undefined where it is not in
 * line.
 */
export function estimateText(
  estimate: LandingEstimate | null | undefined,
  now: Date,
): string | undefined {
  if (!estimate) return undefined;
  const { start_at: start, complete_at: complete, based_on: count, reason } = estimate;
  if (start === null || complete === null) return printableLine(`not known. ${reason ?? ''}`);
  const [begins, ends] = [relativeTime(start, now), relativeTime(complete, now)];
  return `begins ${begins}, complete ${ends} (based on the last ${count === 1 ? 'landing' : `${count} landings`})`;
}

/** `approved by ann: the changelog is right`. */
export function decisionText({ decision, by, comment }: NonNullable<Landing['decision']>): string {
  return printableLine(`${decision === 'approve' ? 'approved' : 'rejected'} by ${by}: ${comment}`);
}

/** What a person has to do for a landing that waits for one. */
export function approvalCall(id: number): string {
  return `\`airline landing approve ${id} --comment '…'\` or \`airline landing reject ${id} --comment '…'\`, with a token of the scope landing:approve`;
}

/** What lets a landing go on that is paused. */
export function resumeCall(id: number): string {
  return `\`airline landing resume ${id}\` lets it go on`;
}

/** One line for an event: its time, the phase, how each package stands, and what it waits for. */
export function describeLandingEvent(
  event: LandingEvent,
  before: LandingEvent | undefined,
  colour: Colour,
): string {
  const { timestamp, phase, attempt, decision, failure, target_moved: moved } = event;
  const wait = waitText(event);
  const isNewRound = phase === 'imaging' && before?.phase !== phase;
  const expected = estimateText(event.estimate, new Date(timestamp));
  const which = attempt > 1 ? `attempt ${attempt}  ` : '';
  const what = failure
    ? `${failure.class}: ${printableLine(failure.message)}`
    : [
        ...(event.resumed_by === undefined
          ? []
          : [printableLine(`resumed by ${event.resumed_by}`)]),
        ...(event.paused_by === undefined ? [] : [printableLine(`paused by ${event.paused_by}`)]),
        ...(decision && !before?.decision ? [decisionText(decision)] : []),
        ...(moved && isNewRound ? [printableLine(movedText(moved))] : []),
        ...(event.tests?.renewed && !before?.tests?.renewed ? [RENEWED_WHY] : []),
        ...(wait === undefined ? [] : [`waits for ${wait}`]),
        ...(expected === undefined ? [] : [`expected: ${expected}`]),
        ...(phase === 'approving' && !decision ? ['waits for a person to approve it'] : []),
        describeParts(event, colour),
      ].join('; ');
  return `${colour('faint', clockTime(timestamp))}  ${which}${colour(toneOf(phase), phase.padEnd(PHASE_WIDTH))}  ${what}`;
}

/** `hello 2.10-3 building (build 12), ed 1.20-1 waiting`. */
function describeParts({ parts }: LandingEvent, colour: Colour): string {
  return parts
    .map(({ source, version, state, build_id: build }) => {
      const where = build !== null && state === 'building' ? ` (build ${build})` : '';
      return `${printableLine(shownPackage({ source, version }))} ${colour(toneOf(state), state.replaceAll('_', ' '))}${where}`;
    })
    .join(', ');
}

/** What a person needs to know of a landing that has failed, or that was cancelled: why, and what to do. */
export function landingFailureBanner(
  { api, out }: Pick<CommandContext, 'api' | 'out'>,
  { id, ticketId, failure }: { id: number; ticketId: number; failure: LandingFailure },
): string {
  const { build_id: build, class: why, hint, message, retryable } = failure;
  const what = why === 'cancelled' ? 'was cancelled.' : `failed: ${why}`;
  return [
    out.colour('bad', `✗ Landing ${id} ${what}`),
    fieldList(out, message, [
      ['Package', failure.packages?.join(', ') ?? failure.package],
      ['Build', build === undefined ? undefined : `airline build show ${build}`],
      ['What to do', hint],
      [
        'Retry',
        retryable
          ? `can help: airline landing retry ${id}`
          : 'does not help; correct the cause and land the ticket again',
      ],
      ['Page', api.page(`/ticket/${ticketId}`)],
    ]),
  ].join('\n');
}
