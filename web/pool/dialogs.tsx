import { announce } from '../announce.ts';
import { FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { ReasonField } from '../components/reason-field.tsx';
import { TextField } from '../components/text-field.tsx';
import type { Ppapool } from '../server/api-types.ts';
import { request } from '../server/request.ts';

/** What an admin can ask of the pool: to add a PPA, or to bring one back; and of a PPA of it. */
export type AskedOfPool =
  { what: 'add'; ppa?: Ppapool } | { what: 'clean' | 'retire'; ppa: Ppapool };

type Given = { onClose: () => void; onDone: () => void };

/** The dialog of what was asked of the pool. */
export function PoolDialog({ asked, ...given }: Given & { asked: AskedOfPool }) {
  if (asked.what === 'add') return <AddPpa known={asked.ppa} {...given} />;
  if (asked.what === 'clean') return <CleanPpa ppa={asked.ppa} {...given} />;
  return <RetirePpa ppa={asked.ppa} {...given} />;
}

function AddPpa({ known, onClose, onDone }: Given & { known: Ppapool | undefined }) {
  const act = async (form: FormData, key: string) => {
    const body = { ppa: formText(form, 'ppa'), archive: formText(form, 'archive') };
    await request('POST', '/api/v1/ppapool/', { key, body });
    announce(`${body.ppa} is in the pool`);
    onDone();
  };
  return (
    <FormDialog
      title={known ? 'Bring back a PPA?' : 'Add a PPA to the pool'}
      doIt={known ? 'Bring it back' : 'Add it'}
      act={act}
      onClose={onClose}
    >
      <p>
        It is looked at first, and has to be empty. From then on landings take turns in it, and what
        they upload is deleted afterwards.
      </p>
      <div class="field-pair">
        <TextField
          label="PPA"
          name="ppa"
          defaultValue={known?.ppa ?? ''}
          placeholder="ppa:owner/name"
        />
        <TextField
          label="Distribution (optional)"
          name="archive"
          required={false}
          defaultValue={known?.distribution ?? ''}
          placeholder="that of the PPA, or ubuntu"
        />
      </div>
    </FormDialog>
  );
}

function CleanPpa({
  ppa: { ppa, resource_uri: uri, reason },
  onClose,
  onDone,
}: Given & { ppa: Ppapool }) {
  const act = async (_: FormData, key: string) => {
    await request('POST', `${uri}clean/`, { key });
    announce(`${ppa} is being cleaned`);
    onDone();
  };
  return (
    <FormDialog title={`Clean ${ppa}?`} doIt="Clean it" act={act} onClose={onClose}>
      <p>
        What landings have uploaded is deleted. When the PPA is empty, the next landing may have it.
      </p>
      {reason !== null && <p class="note note-warn">It is quarantined: {reason}</p>}
    </FormDialog>
  );
}

function RetirePpa({ ppa: { ppa, resource_uri: uri }, onClose, onDone }: Given & { ppa: Ppapool }) {
  const act = async (form: FormData, key: string) => {
    await request('POST', `${uri}retire/`, { key, body: { reason: formText(form, 'reason') } });
    announce(`${ppa} is retired`);
    onDone();
  };
  return (
    <FormDialog title={`Retire ${ppa}?`} doIt="Retire it" isDangerous act={act} onClose={onClose}>
      <p>No landing gets it any more, and Airline does not touch it. It can be brought back.</p>
      <ReasonField label="Why (it stays on the PPA)" name="reason" />
    </FormDialog>
  );
}
