import { nameOfSubject } from '../../domain/tickets/subticket-subject.ts';
import { STEP } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import { request } from '../server/request.ts';
import type { FullTicket, Landing } from '../server/api-types.ts';

/**
 * Requests a landing of a ticket. What its last landing or build was for is filled in.
 *
 * @param last its last landing
 * @param onDone told which landing was made
 */
export function LandDialog({
  ticket,
  last,
  onClose,
  onDone,
}: {
  ticket: FullTicket;
  last: Landing | undefined;
  onClose: () => void;
  onDone: (landingId: number) => void;
}) {
  const build = ticket.builds.toSorted((one, other) => other.id - one.id)[0];
  const landed = ticket.subtickets
    .filter((one) => one.replaced_by === null && one.current_workflow_step !== STEP.complete)
    .map(nameOfSubject);
  const act = async (form: FormData, key: string) => {
    const text = (name: string) => formText(form, name);
    const { body } = await request<Landing>('POST', `/api/v1/ticket/${ticket.id}/land/`, {
      key,
      body: {
        target: text('target'),
        series: text('series'),
        archive: text('archive'),
        ...(text('ppa') === '' ? {} : { ppa: text('ppa') }),
      },
    });
    announce(`Landing ${body.id} is requested`);
    onDone(body.id);
  };
  return (
    <FormDialog title={`Land ticket ${ticket.id}`} doIt="Land it" act={act} onClose={onClose}>
      <p>
        {landed.length === 0
          ? 'The ticket has no package to land yet.'
          : `${landed.join(', ')}: built in order, approved, and copied into the target.`}
      </p>
      <div class="field-pair">
        <TextField
          label="Target: a PPA, or a distribution"
          name="target"
          defaultValue={last?.target ?? ''}
          placeholder="ppa:owner/name, or ubuntu"
        />
        <TextField
          label="Series"
          name="series"
          defaultValue={last?.series ?? build?.series ?? ''}
          placeholder="noble"
        />
      </div>
      <div class="field-pair">
        <TextField
          label="PPA to build in (optional)"
          name="ppa"
          required={false}
          placeholder="the ticket's own, or of the pool"
        />
        <TextField
          label="Distribution of the PPA (optional)"
          name="archive"
          required={false}
          defaultValue={last?.archive ?? build?.archive ?? ''}
          placeholder="that of the PPA, or ubuntu"
        />
      </div>
    </FormDialog>
  );
}
