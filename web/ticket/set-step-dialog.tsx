import { MAX_REASON_LENGTH, STEP_VALUES, stepName } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import type { FullTicket } from '../server/api-types.ts';
import { useTicketMove } from './use-ticket-move.ts';

/** Moves a ticket to a step. Who has changed it since the dialog opened is said first; it can be set anyway. */
export function SetStepDialog({
  ticket,
  onClose,
  onDone,
}: {
  ticket: FullTicket;
  onClose: () => void;
  onDone: () => void;
}) {
  const { openedAt, isChanged, move } = useTicketMove(ticket);
  const act = async (form: FormData, key: string) => {
    const step = formText(form, 'step');
    await move({ step, reason: formText(form, 'reason') }, key);
    announce(`Ticket ${ticket.id} is at ${step}`);
    onDone();
  };

  return (
    <FormDialog
      title={`Set the step of ticket ${ticket.id}`}
      doIt={isChanged ? 'Set it anyway' : 'Set step'}
      act={act}
      onClose={onClose}
    >
      <label class="field">
        <span>Step</span>
        <select name="step">
          {STEP_VALUES.map((step) => (
            <option key={step} value={step} selected={step === openedAt}>
              {step} {stepName(step)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Why (the history keeps it)</span>
        <input name="reason" maxLength={MAX_REASON_LENGTH} />
      </label>
    </FormDialog>
  );
}
