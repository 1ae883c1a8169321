import type { Subticket, Ticket } from '../../api/openapi/contract.generated.ts';
import type { ApiClient } from '../server/api-client.ts';

type TicketOrSubticket = Ticket | Subticket;

/**
 * Moves a ticket or a subticket. Where it is to stand at a step before, a move that somebody else makes meanwhile is
 * not overwritten.
 *
 * @param path of the ticket or the subticket
 * @param change what is written of it, `reason` for its history
 * @param from moves it only if it stands at this step
 * @returns how it stood, and how it stands; `moved` is missing where it did not stand at `from`
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
