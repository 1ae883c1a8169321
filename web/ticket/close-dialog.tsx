import { MAX_REASON_LENGTH, STEP, stepName } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import type { FullTicket } from '../server/api-types.ts';
import { useTicketMove } from './use-ticket-move.ts';

/**
 * Closes a ticket, its step and its status: complete, or failed. Who has changed it since the dialog opened is said
 * first; it can be closed anyway.
 */
export function CloseDialog({
  ticket,
  onClose,
  onDone,
}: {
  ticket: FullTicket;
  onClose: () => void;
  onDone: () => void;
}) {
  const { isChanged, move } = useTicketMove(ticket);
  const act = async (form: FormData, key: string) => {
    await move({ step: formText(form, 'step'), reason: formText(form, 'reason') }, key);
    announce('The ticket is closed');
    onDone();
  };
  return (
    <FormDialog
      title={`Close ticket ${ticket.id}?`}
      doIt={isChanged ? 'Close it anyway' : 'Close it'}
      leaveIt="Keep it open"
      act={act}
      onClose={onClose}
    >
      <label class="field">
        <span>As</span>
        <select name="step">
          {[STEP.complete, STEP.failed].map((step) => (
            <option key={step} value={step}>
              {stepName(step)}
            </option>
          ))}
        </select>
      </label>
      <TextField label="Why (the history keeps it)" name="reason" maxLength={MAX_REASON_LENGTH} />
      <p class="muted">Builds that are under way go on. Set its step to open it again.</p>
    </FormDialog>
  );
}
