import { useState } from 'preact/hooks';
import { POCKETS } from '../../domain/packages/archive.ts';
import { nameOfSubject } from '../../domain/tickets/subticket-subject.ts';
import { STEP } from '../../domain/tickets/ticket.ts';
import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText, givenTexts } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import { request } from '../server/request.ts';
import type { FullTicket, Landing } from '../server/api-types.ts';
import { landLikeLast } from './land-like-last.ts';

/** What the API is not sent where it is empty. */
const OPTIONAL = ['target_series', 'pocket', 'ppa', 'progress_trigger', 'webhook_id'] as const;

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
  // Whatever is requested meanwhile: what is read is what is sent.
  const [filledIn] = useState(() => landLikeLast(ticket, last));
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
        ...givenTexts(form, OPTIONAL),
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
          : `${landed.join(', ')}: built in order, tested and approved as the policy of the target asks, and copied into the target.`}
      </p>
      <div class="field-pair">
        <TextField
          label="Target: a PPA, or a distribution"
          name="target"
          defaultValue={filledIn.target}
          placeholder="ppa:owner/name, or ubuntu"
        />
        <TextField
          label="Series to build for"
          name="series"
          defaultValue={filledIn.series}
          placeholder="noble"
        />
      </div>
      <div class="field-pair">
        <label class="field">
          <span>Pocket to publish in</span>
          <select name="pocket">
            <option value="">Release in a PPA, else Proposed</option>
            {POCKETS.map((pocket) => (
              <option key={pocket} value={pocket} selected={pocket === filledIn.pocket}>
                {pocket}
              </option>
            ))}
          </select>
        </label>
        <TextField
          label="Series to publish in (optional)"
          name="target_series"
          required={false}
          defaultValue={filledIn.target_series}
          placeholder="the one that it is built for"
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
          defaultValue={filledIn.archive}
          placeholder="that of the PPA, or ubuntu"
        />
      </div>
      <div class="field-pair">
        <TextField
          label="Progress queue (optional)"
          name="progress_trigger"
          required={false}
          defaultValue={filledIn.progress_trigger}
          placeholder="lander"
        />
        <TextField
          label="Webhook to tell (optional)"
          name="webhook_id"
          required={false}
          inputMode="numeric"
          defaultValue={filledIn.webhook_id}
          placeholder="its id"
        />
      </div>
    </FormDialog>
  );
}
