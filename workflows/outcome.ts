import type { Cancellation } from '../domain/build-workflow.ts';
import { failureOf, type Failure, type RootCause } from '../domain/failure.ts';

/** How a build ended, before its logs are collected. `leaves`: what a cancellation left in the PPA. */
export type Outcome =
  | { state: 'completed' }
  | { state: 'failed'; failure: Failure }
  | { state: 'cancelled'; leaves: string };

export function failed(failure: Failure): Outcome {
  return { state: 'failed', failure };
}

/**
 * The failure that the final message tells of; undefined where the build is completed. A cancellation counts until then,
 * whatever the build came to meanwhile.
 */
export function finalFailure(
  outcome: Outcome,
  cancellation: Cancellation | null,
  rootCauses: readonly RootCause[],
): Failure | undefined {
  if (cancellation)
    return failureOf('cancelled', `cancelled by ${cancellation.requestedBy}; ${foundBy(outcome)}`);
  return outcome.state === 'failed' ? withRootCause(outcome.failure, rootCauses) : undefined;
}

/** What a cancellation found. */
function foundBy(outcome: Outcome): string {
  switch (outcome.state) {
    case 'completed':
      return 'the PPA had built all of it';
    case 'failed':
      return `it had failed: ${outcome.failure.message}`;
    case 'cancelled':
      return outcome.leaves;
  }
}

/** The failure with the lines of its log that say why. */
function withRootCause(failure: Failure, rootCauses: readonly RootCause[]): Failure {
  const cause = rootCauses.find(
    (each) => each.package === failure.package && each.architecture === failure.architecture,
  );
  if (!cause) return failure;
  const { excerpt, excerptLine, line } = cause;
  return {
    ...failure,
    excerpt,
    ...(excerptLine === undefined ? {} : { excerpt_line: excerptLine }),
    line,
  };
}
