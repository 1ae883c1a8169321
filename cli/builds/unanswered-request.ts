import { CommandError, retold } from '../command-error.ts';
import { isUnanswered } from '../server/connection-loss.ts';

/**
 * What is told where a build may or may not be requested: the same call again would request a second one. What says
 * that it is not is told as it is.
 *
 * @param list the call that lists the build if it is there
 */
export function buildRequestError(error: unknown, list: string): unknown {
  if (!(error instanceof CommandError) || !isUnanswered(error)) return error;
  return retold(error, {
    message: `It is not known whether the build was requested: ${error.message}`,
    next: `\`${list}\` shows whether it was. If not, make the same call again.`,
  });
}
