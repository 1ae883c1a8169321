import type { Subticket, Ticket } from '../../api/openapi/contract.generated.ts';
import type { ApiClient } from '../server/api-client.ts';

type TicketOrSubticket = Ticket | Subticket;

/**
 * Moves a ticket or a subticket. Where it is to stand at a step before, a move that somebody else makes meanwhile is
 * not overwritten.
 *
 * @param path of the ticket or the subticket
 * @param change what is written, and the `reason` for the history
 * @param from moves it only if it is at this step
 * @returns how it was, and how it is; `moved` is missing if it was not at `from`
 * @throws CommandError `precondition_failed` where it was changed meanwhile
 */
export async function moveStep(
  api: ApiClient,
  path: string,
  change: { current_workflow_step: string; status: string; reason?: string | undefined },
  from?: string,
): Promise<{ before: TicketOrSubticket; moved?: TicketOrSubticket }> {
  const { value: before, etag } = await api.json<TicketOrSubticket>(path);
  if (from !== undefined && before.current_workflow_step !== from) return { before };
  const moved = await api.write<TicketOrSubticket>(
    'PATCH',
    path,
    change,
    from !== undefined && etag !== null ? { ifMatch: etag } : {},
  );
  return { before, moved };
}
