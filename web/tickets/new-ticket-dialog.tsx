import { MAX_TITLE_LENGTH } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import type { Ticket } from '../server/api-types.ts';
import { request } from '../server/request.ts';
import { session } from '../server/session.ts';

/** Makes a ticket. @param onMade told its number */
export function NewTicketDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (id: number) => void;
}) {
  const name = session.value?.name ?? '';
  const act = async (form: FormData, key: string) => {
    const body = {
      title: formText(form, 'title'),
      owner: formText(form, 'owner'),
      description: formText(form, 'description'),
      bug_id: formText(form, 'bug_id'),
    };
    const { body: made } = await request<Ticket>('POST', '/api/v1/ticket/', { key, body });
    announce(`Ticket ${made.id} is made`);
    onMade(made.id);
  };
  return (
    <FormDialog
      title="New ticket"
      doIt="Make the ticket"
      leaveIt="Cancel"
      act={act}
      onClose={onClose}
    >
      <TextField
        label="Title"
        name="title"
        maxLength={MAX_TITLE_LENGTH}
        placeholder="What it is, in a line"
      />
      <TextField
        label="Owner"
        name="owner"
        type="email"
        defaultValue={name.includes('@') ? name : ''}
        placeholder="you@example.com"
      />
      <TextField label="Bug (optional)" name="bug_id" required={false} placeholder="Its address" />
      <label class="field">
        <span>Description (optional)</span>
        <textarea class="prose" name="description" rows={4} />
      </label>
    </FormDialog>
  );
}
