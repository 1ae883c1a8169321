import { useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { request } from '../server/request.ts';
import type { FullTicket, Ticket } from '../server/api-types.ts';
import { STEP_VALUES, stepName } from '../../domain/ticket.ts';

/** Moves a ticket to a step, unless somebody else has moved it since the dialog opened. */
export function SetStepDialog({
  ticket,
  onClose,
  onDone,
}: {
  ticket: FullTicket;
  onClose: () => void;
  onDone: () => void;
}) {
  const address = `/api/v1/ticket/${ticket.id}/`;
  const [opened] = useState(() =>
    request<Ticket>('GET', address).then(
      ({ etag }) => etag,
      // Without it the last write wins, as for any old client.
      () => null,
    ),
  );

  const act = async (form: FormData) => {
    const step = formText(form, 'step');
    await request('PATCH', address, {
      body: { current_workflow_step: step, status: step, reason: formText(form, 'reason') },
      ifMatch: await opened,
    });
    announce(`Ticket ${ticket.id} is at ${step}`);
    onDone();
  };

  return (
    <FormDialog
      title={`Set the step of ticket ${ticket.id}`}
      doIt="Set step"
      act={act}
      onClose={onClose}
    >
      <label class="field">
        <span>Step</span>
        <select name="step">
          {STEP_VALUES.map((step) => (
            <option key={step} value={step} selected={step === ticket.current_workflow_step}>
              {step} {stepName(step)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Why (the history keeps it)</span>
        <input name="reason" maxLength={1_000} />
      </label>
    </FormDialog>
  );
}
