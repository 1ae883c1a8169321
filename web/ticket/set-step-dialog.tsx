import { useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { roughNowMs } from '../clock.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { ago } from '../format.ts';
import { request, RequestError } from '../server/request.ts';
import type { FullTicket, Page, StatusChange, Ticket } from '../server/api-types.ts';
import { MAX_REASON_LENGTH, STEP_VALUES, stepName } from '../../domain/tickets/ticket.ts';

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
  const address = `/api/v1/ticket/${ticket.id}/`;
  const [openedAt] = useState(ticket.current_workflow_step);
  const [known, setKnown] = useState(() => etagOf(address));
  const [isChanged, setChanged] = useState(false);

  const act = async (form: FormData) => {
    const step = formText(form, 'step');
    const body = { current_workflow_step: step, status: step, reason: formText(form, 'reason') };
    try {
      await request('PATCH', address, { body, ifMatch: await known });
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 412) throw error;
      setKnown(etagOf(address));
      setChanged(true);
      throw await changedMeanwhile(address, openedAt);
    }
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

/** What says which version of the ticket is known; null where it cannot be had: then the last write wins. */
async function etagOf(address: string): Promise<string | null> {
  return request<Ticket>('GET', address).then(
    ({ etag }) => etag,
    () => null,
  );
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
    hint: 'Close this to look at it; or set it anyway.',
  });
}
