import { useState } from 'preact/hooks';
import { MAX_TOKEN_DAYS, SCOPES } from '../../domain/access/access.ts';
import { offsetIn } from '../addresses.ts';
import { announce } from '../announce.ts';
import { Copyable } from '../components/copyable.tsx';
import { Dialog, FormDialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { ListCount } from '../components/list-line.tsx';
import { Empty } from '../components/notes.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { Ago } from '../components/relative-time.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { TextField } from '../components/text-field.tsx';
import { dayOf, exactTime } from '../format.ts';
import { useLocation } from 'preact-iso/router';
import { nowMs } from '../clock.ts';
import { readClock } from '../server/api-clock.ts';
import type { IssuedToken, Page, Token } from '../server/api-types.ts';
import { loadedList } from '../server/loaded-list.ts';
import { request } from '../server/request.ts';
import { may, session } from '../server/session.ts';
import { useResource } from '../server/use-resource.ts';
import { good, off } from '../states.ts';

const LIMIT = 50;
const DAY_MS = 86_400_000;

/** Who may do what: the tokens, with their last use. They are made and revoked here. */
export function TokensPage() {
  if (!may('admin'))
    return (
      <>
        <div class="page-head">
          <PageHeading title="Tokens" />
        </div>
        <Empty icon="person" title="Only administrators can see tokens.">
          <p>
            Yours is called {session.value?.name ?? 'nothing'} and has{' '}
            {session.value?.scopes.join(', ') || 'no scope'}. Another needs the scope{' '}
            <code>admin</code>.
          </p>
        </Empty>
      </>
    );
  return <Tokens />;
}

function Tokens() {
  const { query } = useLocation();
  const offset = offsetIn(query);
  const list = loadedList(
    useResource<Page<Token>>(`/api/v1/token/?limit=${LIMIT}&offset=${offset}`),
  );
  const { reload } = list.loaded;
  const [isMaking, setMaking] = useState(false);
  const [issued, setIssued] = useState<IssuedToken>();
  const [leaving, setLeaving] = useState<Token>();
  return (
    <>
      <div class="page-head">
        <PageHeading title="Tokens" />
        <div class="actions">
          <button type="button" class="button button-main" onClick={() => setMaking(true)}>
            New token
          </button>
        </div>
      </div>
      {session.value?.authentication === 'off' && (
        <p class="note note-warn">
          <span>
            This Airline asks nobody for a token: everybody who reaches it may do everything. Tokens
            count once it runs with <code>AIRLINE_AUTH=token</code>.
          </span>
        </p>
      )}
      <div class="list-line">
        <ListCount list={list} noun="token" />
      </div>
      <PagedList
        list={list}
        offset={offset}
        limit={LIMIT}
        addressOf={(to) => (to === 0 ? '/tokens' : `/tokens?offset=${to}`)}
        empty={<Empty icon="person" title="There is no token yet." />}
      >
        {(rows) => (
          <table class="list">
            <caption class="visually-hidden">Tokens</caption>
            <TableHead
              columns={['Name', 'State', 'Scopes', 'Created', 'Last use', 'Ends', 'Revoke']}
            />
            <tbody>
              {rows.map((token) => (
                <Row key={token.id} token={token} onRevoke={() => setLeaving(token)} />
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
      {isMaking && (
        <NewTokenDialog onClose={() => setMaking(false)} onIssued={setIssued} onAnswered={reload} />
      )}
      {issued && !isMaking && (
        <Dialog title={`The token ${issued.name}`} onClose={() => setIssued(undefined)}>
          <div class="issued">
            <p>Copy it now: it is shown this once, and Airline keeps no copy.</p>
            <Copyable label="The token" text={issued.token} />
          </div>
        </Dialog>
      )}
      {leaving && (
        <FormDialog
          title={`Revoke ${leaving.name}?`}
          doIt="Revoke it"
          leaveIt="Keep it"
          isDangerous
          act={async (_, key) => {
            await request('POST', `/api/v1/token/${leaving.id}/revoke/`, { key });
            announce(`The token ${leaving.name} is revoked`);
            reload();
          }}
          onClose={() => setLeaving(undefined)}
        >
          <p>Whoever uses it is refused from now on. That cannot be taken back.</p>
        </FormDialog>
      )}
    </>
  );
}

function Row({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const isOver = Date.parse(token.expires_at) <= nowMs.value;
  const label = token.revoked_at !== null ? off('Revoked') : isOver ? off('Ended') : good('Valid');
  return (
    <tr>
      <td class="cell-main breakable">{token.name}</td>
      <td>
        <StateBadge isPlain label={label} />
      </td>
      <td>
        {token.scopes.join(', ')}
        <Allowed what="PPAs" entries={token.ppas} />
        <Allowed what="queues" entries={token.queue_prefixes.map((prefix) => `${prefix}*`)} />
      </td>
      <td data-before="created">
        <Ago at={token.created_at} /> <span class="muted">by {token.created_by}</span>
      </td>
      <td data-before="last used">
        {token.last_used_at === null ? (
          <span class="muted">never</span>
        ) : (
          <Ago at={token.last_used_at} />
        )}
      </td>
      <td data-before="ends">
        <time dateTime={token.expires_at} title={exactTime(token.expires_at)} class="nobreak">
          {dayOf(token.expires_at)}
        </time>
      </td>
      <td>
        {token.revoked_at === null && !isOver && (
          <button type="button" class="button button-small" onClick={onRevoke}>
            Revoke<span class="visually-hidden"> {token.name}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

/** What a token may name, where that is not all. */
function Allowed({ what, entries }: { what: string; entries: readonly string[] }) {
  if (entries.length === 0) return null;
  return (
    <div class="muted breakable">
      {what}: {entries.join(', ')}
    </div>
  );
}

function NewTokenDialog({
  onClose,
  onIssued,
  onAnswered,
}: {
  onClose: () => void;
  onIssued: (token: IssuedToken) => void;
  onAnswered: () => void;
}) {
  // What is sent again is the same to the millisecond, or the API takes it for something else.
  const [openedMs] = useState(readClock);
  const act = async (form: FormData, key: string) => {
    const days = Number(formText(form, 'expires_at'));
    const body = {
      name: formText(form, 'name'),
      scopes: form.getAll('scopes'),
      ppas: words(formText(form, 'ppas')),
      queue_prefixes: words(formText(form, 'queue_prefixes')),
      expires_at: days > 0 ? new Date(openedMs + days * DAY_MS).toISOString() : null,
    };
    try {
      onIssued((await request<IssuedToken>('POST', '/api/v1/token/', { key, body })).body);
    } finally {
      // Also where nothing was issued: one may be there whose answer was lost.
      onAnswered();
    }
  };
  return (
    <FormDialog title="New token" doIt="Make it" leaveIt="Cancel" act={act} onClose={onClose}>
      <TextField label="Name" name="name" placeholder="you@example.com" />
      <fieldset class="field choices">
        <legend>It may</legend>
        {SCOPES.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" name="scopes" value={scope} defaultChecked={scope === 'read'} />
            {scope}
          </label>
        ))}
      </fieldset>
      <TextField
        label="Only in these PPAs (optional)"
        name="ppas"
        required={false}
        placeholder="~owner/ubuntu/name ~team/*"
      />
      <TextField
        label="Only queues that begin with (optional)"
        name="queue_prefixes"
        required={false}
        placeholder="lander-"
      />
      <TextField
        label="Days until it expires (optional)"
        name="expires_at"
        type="number"
        min={1}
        max={MAX_TOKEN_DAYS}
        required={false}
        placeholder="The server's default"
      />
      <p class="muted">Every history shows this name.</p>
    </FormDialog>
  );
}

/** The words of a line, which commas or spaces are between. */
function words(line: string): string[] {
  return line.split(/[\s,]+/).filter((word) => word !== '');
}
