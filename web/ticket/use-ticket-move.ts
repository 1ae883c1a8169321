import { useState } from 'preact/hooks';
import { stepName } from '../../domain/tickets/ticket.ts';
import { roughNowMs } from '../clock.ts';
import { ago } from '../format.ts';
import type { FullTicket, Page, StatusChange, Ticket } from '../server/api-types.ts';
import { request, RequestError } from '../server/request.ts';

/** How a ticket was when it was read: what a write may replace. */
type Revision = { etag: string | null; step: string };

export type TicketMove = {
  /** The step that the ticket was at when the dialog opened. */
  openedAt: string;
  /** Whether the reader was told of a change since then, and may do it anyway. */
  isChanged: boolean;
  /**
   * Moves the ticket: its step, and its status.
   *
   * @param key its Idempotency-Key
   * @throws RequestError also where somebody has changed the ticket since it was read: it says who, and the next call
   *   moves it anyway; and where it cannot be read how the ticket is, or who it was
   */
  move: (to: { step: string; reason: string }, key: string) => Promise<void>;
};

/** Moves a ticket for a dialog, and nothing that its reader has not seen. */
export function useTicketMove(ticket: FullTicket): TicketMove {
  const address = `/api/v1/ticket/${ticket.id}/`;
  const [openedAt] = useState(ticket.current_workflow_step);
  const [known, setKnown] = useState(() => readBeforeItIsNeeded(address));
  const [isChanged, setChanged] = useState(false);

  // How it is now was read before it is asked who did it: what changes after that is refused again.
  const tell = async (now: Revision): Promise<never> => {
    const told = await changedMeanwhile(address, openedAt);
    setKnown(Promise.resolve(now));
    setChanged(true);
    throw told;
  };
  const move: TicketMove['move'] = async ({ step, reason }, key) => {
    const { etag, step: from } = (await known) ?? (await readRevision(address));
    if (from !== openedAt && !isChanged) await tell(await readRevision(address));
    const body = { current_workflow_step: step, status: step, reason };
    try {
      await request('PATCH', address, { key, body, ifMatch: etag });
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 412) throw error;
      const now = await readRevision(address);
      // Nobody has changed it: the answer says what is wrong, such as a proxy that makes ETags weak.
      if (now.etag === etag) throw error;
      await tell(now);
    }
  };
  return { openedAt, isChanged, move };
}

async function readRevision(address: string): Promise<Revision> {
  const { etag, body } = await request<Ticket>('GET', address);
  return { etag, step: body.current_workflow_step };
}

/** Undefined where that fails: it is read again when it is needed. */
function readBeforeItIsNeeded(address: string): Promise<Revision | undefined> {
  return readRevision(address).catch(() => undefined);
}

/** Who has moved the ticket, from where to where, and what can be done now. @param openedAt the step that it was at */
async function changedMeanwhile(address: string, openedAt: string): Promise<RequestError> {
  const { body } = await request<Page<StatusChange>>('GET', `${address}history/`);
  const last = body.objects.findLast(({ subticket }) => subticket === null);
  return new RequestError({
    status: 412,
    code: 'precondition_failed',
    message:
      last && last.to_step !== openedAt
        ? `${last.actor} has moved it from ${stepName(last.from_step)} to ${stepName(last.to_step)}, ${ago(last.created_at, roughNowMs.peek())}.`
        : 'Somebody has changed the ticket since this was opened; its step is the same.',
    hint: 'Go back to look at it; or do it anyway.',
  });
}
