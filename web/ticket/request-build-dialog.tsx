import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { acceptedPpa } from '../../domain/packages/ppa.ts';
import { sourceUrlsOf } from '../../domain/tickets/ticket-sources.ts';
import { buildAddress } from '../addresses.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText, givenTexts } from '../components/form-text.ts';
import { TextField } from '../components/text-field.tsx';
import { request } from '../server/request.ts';
import type { Build, FullTicket } from '../server/api-types.ts';

/** What is left out where nothing is given. */
const OPTIONAL = ['progress_trigger', 'webhook_id', 'order'] as const;

/**
 * Requests a build of the sources that a ticket's packages name, or where they name none, of those of its last build.
 * What else the last one was for that no landing requested is filled in: landings build elsewhere, in their own way.
 */
export function RequestBuildDialog({
  ticket,
  onClose,
}: {
  ticket: FullTicket;
  onClose: () => void;
}) {
  const { route } = useLocation();
  const newestFirst = ticket.builds.toSorted((one, other) => other.id - one.id);
  const [last] = newestFirst.filter((build) => build.landing === null);
  const own = sourceUrlsOf(ticket.subtickets, ticket.builds);
  // As the other fields: what is read is what is sent.
  const [sources] = useState(
    own.length > 0 ? own : ((last ?? newestFirst[0])?.source_packages ?? []),
  );
  const [order] = useState(last?.order ?? '');

  const act = async (form: FormData, key: string) => {
    const text = (name: string) => formText(form, name);
    const { body } = await request<Build>('POST', '/api/v1/build_source', {
      key,
      body: {
        ticket_id: ticket.id,
        source_packages: text('sources').split(/\s+/).filter(Boolean),
        series: text('series'),
        ppa: text('ppa'),
        archive: text('archive'),
        cancel_url: null,
        ...givenTexts(form, OPTIONAL),
      },
    });
    route(buildAddress(body.id));
  };

  return (
    <FormDialog
      title={`Request a build for ticket ${ticket.id}`}
      doIt="Request the build"
      act={act}
      onClose={onClose}
    >
      <div class="field-pair">
        <TextField
          label="PPA"
          name="ppa"
          defaultValue={last?.ppa ?? ''}
          placeholder="ppa:owner/name"
        />
        <TextField
          label="Series"
          name="series"
          defaultValue={last?.series ?? ''}
          placeholder="noble"
        />
      </div>
      <div class="field-pair">
        <TextField
          label="Distribution (optional)"
          name="archive"
          required={false}
          defaultValue={last ? acceptedPpa(last).distribution : ''}
          placeholder="that of the PPA, or ubuntu"
        />
        <label class="field">
          <span>Order of the packages</span>
          <select name="order">
            <option value="">All at once</option>
            <option value="dependencies" selected={order === 'dependencies'}>
              Each after those that it build-depends on
            </option>
          </select>
        </label>
      </div>
      <div class="field-pair">
        <TextField
          label="Progress queue (or a webhook)"
          name="progress_trigger"
          required={false}
          pattern="[A-Za-z0-9._:\-]{1,255}"
          defaultValue={last ? (last.progress_trigger ?? '') : `ticket-${ticket.id}`}
        />
        <TextField
          label="Webhook to tell (optional)"
          name="webhook_id"
          required={false}
          inputMode="numeric"
          defaultValue={last?.webhook_id ?? ''}
          placeholder="its id"
        />
      </div>
      <label class="field">
        <span>Source files, one URL a line</span>
        <textarea
          name="sources"
          required
          rows={5}
          spellcheck={false}
          defaultValue={sources.join('\n')}
        />
      </label>
      <p class="muted">One .changes file for each source package, and every file that it names.</p>
    </FormDialog>
  );
}
