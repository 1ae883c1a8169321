import type { Failure } from '../domain/builds/failure.ts';

/** How a build ended, before its logs are collected. `left`: what a cancellation left in the PPA. */
export type Outcome =
  | { state: 'completed' }
  | { state: 'failed'; failure: Failure }
  | { state: 'cancelled'; left: string };
