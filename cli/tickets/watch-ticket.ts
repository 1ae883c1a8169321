import type { StatusChange, Ticket } from '../../api/openapi/contract.generated.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { CommandContext } from '../command-context.ts';
import { pollUntil } from '../server/poll-until.ts';
import type { Output } from '../output/output.ts';
import { toneOf } from '../output/colours.ts';
import { isShownAsFailed, STEP, stepToShow } from '../../domain/tickets/ticket.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { Page } from '../server/api-client.ts';
import type { Column } from '../output/table.ts';
import { clockTime, relativeTime } from '../output/time-format.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { positionText } from './step-column.ts';

/**
 * Shows the changes of a ticket and its subtickets until it is complete or has failed. The history is the record of
 * all of them, so that none is lost, however long the server was away.
 *
 * @returns `done` where it is complete, `failed` where it has failed
 * @throws CommandError `timed_out`, `interrupted`, `unreachable` after an outage that did not pass
 */
export async function watchTicket(
  context: CommandContext,
  id: number,
  { timeoutMs, intervalMs }: { timeoutMs: number | undefined; intervalMs: number },
): Promise<ExitCode> {
  const { api, out } = context;
  let seq = 0;
  const options = {
    timeoutMs,
    intervalMs,
    place: () => `change ${seq}`,
    resumeHint: `\`airline ticket watch ${id}\` comes back to it.`,
  };
  const isDone = await pollUntil(context, options, async ({ once, restored }) => {
    // The ticket first: what ended it is in the history by then.
    const ticket = await api.get<Ticket>(`/api/v1/ticket/${id}/`, {}, once);
    for (let isRead = false; !isRead;) {
      const path = `/api/v1/ticket/${id}/history/`;
      const page = await api.get<Page<StatusChange>>(
        path,
        { after: seq, subtickets: 'true' },
        once,
      );
      restored();
      for (const change of page.objects) {
        out.entry(change, () => describeChange(change, out));
        seq = change.seq;
      }
      isRead = page.objects.length === 0 || page.meta.next === null;
    }
    const isComplete = ticket.current_workflow_step === STEP.complete;
    return isComplete || isShownAsFailed(ticket) ? isComplete : undefined;
  });
  out.remark(
    out.colour(
      isDone ? 'good' : 'bad',
      isDone ? `✓ Ticket ${id} is complete.` : `✗ Ticket ${id} has failed.`,
    ),
  );
  return isDone ? EXIT.done : EXIT.failed;
}

function describeChange(change: StatusChange, { colour }: Output): string {
  const subject = change.subticket === null ? 'ticket' : `subticket ${idOfUri(change.subticket)}`;
  const reason = change.reason === '' ? '' : ` (${printableLine(change.reason)})`;
  const now = after(change);
  return `${colour('faint', clockTime(change.created_at))}  ${subject}: ${positionText(before(change))} → ${colour(toneOf(stepToShow(now)), positionText(now))} by ${printableLine(change.actor)}${reason}`;
}

function before({ from_step: step, from_status: status }: StatusChange) {
  return { current_workflow_step: step, status };
}

function after({ to_step: step, to_status: status }: StatusChange) {
  return { current_workflow_step: step, status };
}

/** The columns of a history. */
export function historyColumns({ now }: Output): Column<StatusChange>[] {
  return [
    { head: 'WHEN', cell: ({ created_at: at }) => relativeTime(at, now()) },
    {
      head: 'WHAT',
      cell: ({ subticket }) => (subticket === null ? 'ticket' : `subticket ${idOfUri(subticket)}`),
    },
    { head: 'FROM', cell: (change) => positionText(before(change)) },
    {
      head: 'TO',
      cell: (change) => positionText(after(change)),
      tone: (change) => toneOf(stepToShow(after(change))),
    },
    { head: 'WHO', cell: ({ actor }) => actor, isFlexible: true },
    { head: 'WHY', cell: ({ reason }) => reason, isFlexible: true },
    { head: 'AT', cell: ({ created_at: at }) => at, isWide: true },
    { head: 'REQUEST', cell: ({ request_id: id }) => id, isWide: true },
  ];
}
