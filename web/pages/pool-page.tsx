import { useState } from 'preact/hooks';
import { MAX_POOL } from '../../domain/landings/pool-ppa.ts';
import { landingAddress } from '../addresses.ts';
import { MissingScopes } from '../components/missing-scopes.tsx';
import { Command, Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Ago } from '../components/relative-time.tsx';
import { RowsSection } from '../components/rows-section.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { landingLabel } from '../landing/labels.ts';
import { packagesText } from '../landing/landing-texts.ts';
import { useLandingSet } from '../landing/use-landing-set.ts';
import { poolLabel } from '../pool/labels.ts';
import { PoolDialog, type AskedOfPool } from '../pool/dialogs.tsx';
import { may } from '../server/session.ts';
import type { Landing, Page, Ppapool } from '../server/api-types.ts';
import { useRepeated } from '../server/use-repeated.ts';
import { useResource } from '../server/use-resource.ts';

const POLL_MS = 5_000;

/** The PPAs that landings take turns in: how each stands, who holds it, and what an admin can do about it. */
export function PoolPage() {
  const pool = useResource<Page<Ppapool>>(
    `/api/v1/ppapool/?order_by=ppa&limit=${MAX_POOL}`,
    ({ landing }) => landing.length > 0,
  );
  // Their cleaning sends no events.
  useRepeated(pool, POLL_MS);
  const { data, error, reload } = pool;
  const [asked, setAsked] = useState<AskedOfPool>();
  const held = data?.objects.flatMap(({ landing_id: id }) => id ?? []) ?? [];
  const landings = useLandingSet(held);
  return (
    <>
      <p class="crumbs">
        <a href="/landings">Landings</a> / <span>Pool of PPAs</span>
      </p>
      <div class="page-head">
        <PageHeading title="Pool of PPAs" />
        {may('admin') && (
          <div class="actions">
            <button
              type="button"
              class="button button-main"
              onClick={() => setAsked({ what: 'add' })}
            >
              Add a PPA
            </button>
          </div>
        )}
      </div>
      <p class="description">
        Landings that name no PPA take turns in these. Each is emptied before the next one gets it.
      </p>
      <MissingScopes wishes={[{ to: 'add, clean or retire a PPA', needs: 'admin' }]} />
      {error && <ErrorNote error={error} retry={reload} />}
      {!data && !error && <Skeleton lines={6} />}
      {landings.error && (
        <ErrorNote what="The landings" error={landings.error} retry={landings.reload} />
      )}
      {data && (
        <RowsSection
          id="pool"
          title="PPAs"
          rows={data.objects}
          keyOf={({ id }) => id}
          empty={<EmptyPool />}
        >
          {(rows) => <Rows rows={rows} landings={landings.data?.objects ?? []} ask={setAsked} />}
        </RowsSection>
      )}
      {asked && <PoolDialog asked={asked} onClose={() => setAsked(undefined)} onDone={reload} />}
    </>
  );
}

function Rows({
  rows,
  landings,
  ask,
}: {
  rows: readonly Ppapool[];
  landings: readonly Landing[];
  ask: (asked: AskedOfPool) => void;
}) {
  return (
    <div class="scroller">
      <table class="list pool">
        <caption class="visually-hidden">PPAs of the pool</caption>
        <TableHead
          columns={[
            'PPA',
            'State',
            'Since',
            'Held by, or why',
            <span key="actions" class="visually-hidden">
              Actions
            </span>,
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="cell-main breakable">
                <b>{row.ppa}</b>
              </td>
              <td>
                <StateBadge label={poolLabel(row.state)} />
              </td>
              <td>
                <Ago at={row.state_since} />
              </td>
              <td class="cell-why breakable">
                {row.landing_id === null ? (
                  row.reason
                ) : (
                  <Holder
                    id={row.landing_id}
                    landing={landings.find(({ id }) => id === row.landing_id)}
                  />
                )}
              </td>
              <td class="cell-actions">{may('admin') && <Actions row={row} ask={ask} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** @param landing undefined while it is not loaded */
function Holder({ id, landing }: { id: number; landing: Landing | undefined }) {
  if (!landing) return <>Landing {id}</>;
  return (
    <>
      <a href={landingAddress(landing)}>Landing {id}</a>: {packagesText(landing)}{' '}
      <StateBadge isPlain label={landingLabel(landing)} />
    </>
  );
}

function Actions({ row, ask }: { row: Ppapool; ask: (asked: AskedOfPool) => void }) {
  if (row.state === 'retired')
    return (
      <button type="button" class="button" onClick={() => ask({ what: 'add', ppa: row })}>
        Bring back<span class="visually-hidden"> {row.ppa}</span>
      </button>
    );
  if (row.state !== 'free' && row.state !== 'quarantined') return null;
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => ask({ what: 'clean', ppa: row })}>
        Clean<span class="visually-hidden"> {row.ppa}</span>
      </button>
      <button type="button" class="button" onClick={() => ask({ what: 'retire', ppa: row })}>
        Retire<span class="visually-hidden"> {row.ppa}</span>
      </button>
    </div>
  );
}

function EmptyPool() {
  return (
    <Empty icon="landing" title="The pool has no PPA.">
      <p>
        A landing builds in the PPA that its request or its ticket names. An admin adds one to the
        pool here, or so:
      </p>
      <Command>airline ppapool add ppa:you/silo-1</Command>
    </Empty>
  );
}
