import type { ExpectedDuration, ProgressMessage } from '../../api/openapi/contract.generated.ts';
import { phaseWords } from '../../domain/builds/build-phase.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { usualMs } from './usual-time.ts';
import { waitingText } from './waiting-text.ts';

/**
 * What a build does while nothing new comes, for how long, and how long that usually takes:
 * `building for 42 s, usually 28 s (hello on amd64)`.
 *
 * @param expected how long each package takes by its earlier builds
 */
export function quietWaitText(
  { phase, phase_since: since, waiting, builds }: ProgressMessage,
  expected: readonly ExpectedDuration[],
  now: Date,
): string {
  const elapsedMs = Math.max(0, now.getTime() - Date.parse(waiting?.since ?? since));
  const said = `… ${phaseWords(phase)} for ${durationText(elapsedMs)}`;
  if (waiting) {
    const until = waiting.gives_up_at && Date.parse(waiting.gives_up_at) - now.getTime();
    return `${said}; waits for ${waitingText(waiting)}${until ? `, gives up in ${durationText(until)}` : ''}`;
  }
  const running = builds.filter(({ state }) => state === 'building');
  const medians = running.map((one) => ({ one, ms: usualMs(one, expected) ?? 0 }));
  const [longest] = medians.toSorted((one, other) => other.ms - one.ms);
  if (!longest) return said;
  const which = `${longest.one.package} on ${longest.one.architecture}`;
  const more = running.length > 1 ? ` and ${running.length - 1} more` : '';
  const usual = longest.ms > 0 ? `, usually ${durationText(longest.ms)}` : ', for the first time';
  return `${said}${usual} (${which}${more})`;
}
