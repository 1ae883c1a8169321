import { Icon } from '../components/icon.tsx';
import type { FullTicket } from '../server/api-types.ts';
import { nameOfSubject } from '../../domain/tickets/subticket-subject.ts';
import { stepName } from '../../domain/tickets/ticket.ts';

/** Where a ticket failed, and why; nothing while it has not failed. */
export function FailureNote({ ticket }: { ticket: FullTicket }) {
  const { failed_at_step: step, failed_subticket: uri, failure_reason: reason } = ticket;
  if (step === null) return null;
  const failed = ticket.subtickets.find(({ resource_uri: own }) => own === uri);
  return (
    <div class="note note-bad">
      <Icon name="failed" />
      <div>
        <p class="note-title">
          Failed at {stepName(step)}
          {failed && <>: {nameOfSubject(failed)}</>}
        </p>
        {reason !== null && reason !== '' && <p class="breakable">{reason}</p>}
      </div>
    </div>
  );
}
