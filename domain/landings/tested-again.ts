import { isBeingTested, type LandingPhase } from './landing-phase.ts';
import { testedAgainText } from './target-moved.ts';

/** Why a landing is tested again on new base images before anything is blamed on it. */
export const RENEWED_WHY = 'the base images of before may be older than what was built';

/** The same in a sentence. */
export const RENEWED_TEXT =
  'The packages are tested again on new base images: those of before may be older than what was built.';

/** Why a landing is tested, and may have to be approved, again, in sentences; undefined where it is not. */
export function againText({
  phase,
  target_moved: moved,
  tests,
}: {
  phase: LandingPhase;
  target_moved: readonly string[] | null;
  tests: { renewed?: boolean } | null;
}): string | undefined {
  if (!isBeingTested(phase)) return undefined;
  const why = [
    ...(moved ? [testedAgainText(moved)] : []),
    ...(tests?.renewed ? [RENEWED_TEXT] : []),
  ];
  return why.length > 0 ? why.join(' ') : undefined;
}
