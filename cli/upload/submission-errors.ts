import { CommandError, retold } from '../command-error.ts';
import { shellCall } from '../output/shell-call.ts';
import { isUnanswered, unansweredError } from '../server/connection-loss.ts';

/** What is told where a new ticket with packages may or may not be there. */
export function ticketError(error: unknown, owner: string): unknown {
  const list = shellCall('airline ticket list', { '--owner': owner });
  return unansweredError(
    error,
    'the ticket was made',
    `\`${list}\` shows whether it was. If so, submit with --ticket and its id to go on from there; if not, make the same call again.`,
  );
}

/**
 * What is told where a ticket has the packages, and its build or landing was refused, or may or may not be requested.
 *
 * @param call what goes on from here: the same call again would make a second ticket. Where the server refuses the PPA
 * or the queue of it, another has to be given
 */
export function requestError(
  error: unknown,
  ticketId: number,
  what: 'build' | 'landing',
  call: string,
): unknown {
  if (!(error instanceof CommandError)) return error;
  const made = `Ticket ${ticketId} has the packages`;
  const other =
    error.code === 'target_not_allowed'
      ? ', with another PPA or queue in place of what is refused'
      : '';
  if (!isUnanswered(error))
    return retold(error, {
      message: `${made}, but no ${what} was requested: ${error.message}`,
      next: `Then \`${call}\` goes on from here${other}.`,
    });
  return retold(error, {
    message: `${made}, but it is not known whether the ${what} was requested: ${error.message}`,
    next: `\`airline ${what} list --ticket ${ticketId}\` shows whether it was. If not, \`${call}\` goes on from here.`,
  });
}
