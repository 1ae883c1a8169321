import type { LandingFailure } from '../../domain/landings/landing-failure.ts';

/** Ends a landing before it is published. */
export class LandingEnded extends Error {
  override readonly name = 'LandingEnded';
  readonly failure: LandingFailure;

  constructor(failure: LandingFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
