import { MAX_REASON_LENGTH, STEP, stepName } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import { request } from '../server/request.ts';

/** Closes a ticket, its step and its status: complete, or failed. */
export function CloseDialog({
  ticketId,
  onClose,
  onDone,
}: {
  ticketId: number;
  onClose: () => void;
  onDone: () => void;
}) {
  const act = async (form: FormData, key: string) => {
    const step = formText(form, 'step');
    const body = { current_workflow_step: step, status: step, reason: formText(form, 'reason') };
    await request('PATCH', `/api/v1/ticket/${ticketId}/`, { key, body });
    announce('The ticket is closed');
    onDone();
  };
  return (
    <FormDialog
      title={`Close ticket ${ticketId}?`}
      doIt="Close it"
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
