import { unansweredError } from '../server/connection-loss.ts';

/**
 * What is told where a build may or may not be requested.
 *
 * @param list the call that lists the build if it is there
 */
export function buildRequestError(error: unknown, list: string): unknown {
  return unansweredError(
    error,
    'the build was requested',
    `\`${list}\` shows whether it was. If not, make the same call again.`,
  );
}
