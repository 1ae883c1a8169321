import { continueAsNew } from '@temporalio/workflow';
import type { LandingInput } from '../../domain/landings/landing.ts';
import type { LandingAttempt } from './landing-attempt.ts';

type Resumed = NonNullable<LandingInput['resumed']>;

/**
 * Goes on in a new run, at the place where this one is.
 *
 * @param place when it came into the line of its target is as before, unless it is given
 */
export function continueLanding(
  { input, reports }: LandingAttempt,
  place: Omit<Resumed, 'reports' | 'queuedAtMs'> & Partial<Pick<Resumed, 'queuedAtMs'>>,
): Promise<never> {
  const queuedAtMs = input.resumed?.queuedAtMs ?? 0;
  return continueAsNew<(input: LandingInput) => Promise<unknown>>({
    ...input,
    resumed: { queuedAtMs, reports, ...place },
  });
}
