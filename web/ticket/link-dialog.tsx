import { REFERENCE_KINDS } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import { request } from '../server/request.ts';

/** Links a ticket to a page that it is about. */
export function LinkDialog({
  ticketId,
  onClose,
  onDone,
}: {
  ticketId: number;
  onClose: () => void;
  onDone: () => void;
}) {
  const act = async (form: FormData, key: string) => {
    const body = {
      ticket: `/api/v1/ticket/${ticketId}/`,
      kind: formText(form, 'kind'),
      url: formText(form, 'url'),
      title: formText(form, 'title'),
    };
    await request('POST', '/api/v1/reference/', { key, body });
    announce('The ticket is linked');
    onDone();
  };
  return (
    <FormDialog
      title="Link this ticket"
      doIt="Link it"
      leaveIt="Cancel"
      act={act}
      onClose={onClose}
    >
      <label class="field">
        <span>To what</span>
        <select name="kind">
          {REFERENCE_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kind.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <TextField label="Address" name="url" type="url" placeholder="https://" />
      <TextField label="Title (optional)" name="title" required={false} />
    </FormDialog>
  );
}
