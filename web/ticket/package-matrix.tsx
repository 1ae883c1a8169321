import { buildAddress, packageAddress } from '../addresses.ts';
import { groupOf } from '../build/record-groups.ts';
import { Icon } from '../components/icon.tsx';
import { Command, Empty } from '../components/notes.tsx';
import { RowsSection } from '../components/rows-section.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { nameOfSubject } from '../../domain/tickets/subticket-subject.ts';
import type { ArchitectureBuild, FullTicket } from '../server/api-types.ts';
import { architectureLabel, positionLabel } from '../states.ts';
import { Proposal } from './proposal.tsx';

type Subticket = FullTicket['subtickets'][number];
type Cell = ArchitectureBuild & { buildId: number };
/** More architectures than these are shown by icons alone, so that all of them fit. */
const MAX_IN_WORDS = 4;
/** More packages than these are put in an order: those that failed first. */
const MAX_AS_THEY_CAME = 8;
type Row = { key: string; name: string; version: string; subticket?: Subticket };

/** What is built where: packages down, architectures across, each as its latest build has it. */
export function PackageMatrix({ ticket }: { ticket: FullTicket }) {
  const { subtickets, builds } = ticket;
  const cells = latestCells(builds);
  const architectures = [...new Set([...cells.values()].map(({ architecture }) => architecture))];
  architectures.sort();
  return (
    <RowsSection
      id="packages"
      title="Packages"
      rows={failedFirst(rowsOf(subtickets, cells), cells)}
      keyOf={({ key }) => key}
      empty={
        <Empty icon="package" title="The ticket has no packages.">
          <p>Each package is a subticket. Add one of an upload:</p>
          <Command>{`airline subticket create --ticket ${ticket.id} --package hello --package-version 2.10-3`}</Command>
        </Empty>
      }
    >
      {(held) => <Matrix rows={held} builds={builds} architectures={architectures} cells={cells} />}
    </RowsSection>
  );
}

function Matrix({
  rows,
  builds,
  architectures,
  cells,
}: {
  rows: readonly Row[];
  builds: FullTicket['builds'];
  architectures: readonly string[];
  cells: ReadonlyMap<string, Cell>;
}) {
  const isCompact = architectures.length > MAX_IN_WORDS;
  return (
    <div
      class="scroller matrix-box"
      tabIndex={0}
      role="region"
      aria-label="Packages and architectures"
    >
      <table class={`list matrix ${isCompact ? 'matrix-compact' : ''}`}>
        <caption class="visually-hidden">The state of each package on each architecture</caption>
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Version</th>
            <th scope="col">Step</th>
            {architectures.map((architecture) => (
              <th key={architecture} scope="col">
                {architecture}
              </th>
            ))}
            {architectures.length === 0 && <th scope="col">Builds</th>}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, version, subticket }) => (
            <tr key={key}>
              <th scope="row">
                {subticket && subticket.source_package_upload === null ? (
                  name
                ) : (
                  <a data-row href={packageAddress(name)}>
                    {name}
                  </a>
                )}
                {subticket && subticket.replaced_by !== null && (
                  <span class="muted"> (replaced)</span>
                )}
                {subticket && <Proposal subticket={subticket} builds={builds} />}
              </th>
              <td>{version}</td>
              {subticket ? (
                <td>
                  <StateBadge label={positionLabel(subticket)} isPlain />
                </td>
              ) : (
                <td class="muted">no subticket</td>
              )}
              <Cells {...{ architectures, name, version, cells, isCompact }} />
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The ticket's subtickets, then what was built without one. */
function rowsOf(subtickets: readonly Subticket[], cells: ReadonlyMap<string, Cell>): Row[] {
  const own = subtickets.map((subticket) => ({
    key: `subticket ${subticket.id}`,
    name: nameOfSubject(subticket),
    version: subticket.source_package_upload?.version ?? '',
    subticket,
  }));
  const known = new Set(own.map(({ name, version }) => keyOf(name, version)));
  const others = new Map<string, Row>();
  for (const { package: name, version } of cells.values()) {
    const key = keyOf(name, version);
    if (!known.has(key)) others.set(key, { key, name, version });
  }
  return [...own, ...others.values()];
}

/** Of many packages, those with a failure come first; the others stay as they came. */
function failedFirst(rows: readonly Row[], cells: ReadonlyMap<string, Cell>): readonly Row[] {
  if (rows.length <= MAX_AS_THEY_CAME) return rows;
  const failed = new Set(
    [...cells.values()]
      .filter((cell) => groupOf(cell) === 'failed')
      .map((cell) => keyOf(cell.package, cell.version)),
  );
  const hasFailed = ({ name, version }: Row) => failed.has(keyOf(name, version));
  return [...rows.filter(hasFailed), ...rows.filter((row) => !hasFailed(row))];
}

function Cells({
  architectures,
  name,
  version,
  cells,
  isCompact,
}: {
  architectures: readonly string[];
  name: string;
  version: string;
  cells: ReadonlyMap<string, Cell>;
  isCompact: boolean;
}) {
  if (architectures.length === 0) return <td class="muted">none yet</td>;
  return (
    <>
      {architectures.map((architecture) => {
        const cell = cells.get(keyOf(name, version, architecture));
        const shown = cell && architectureLabel(cell);
        return (
          <td key={architecture}>
            {cell && shown ? (
              <a
                class="quiet"
                href={buildAddress(cell.buildId)}
                aria-label={`${name} ${version} on ${architecture}: ${shown.word}, build ${cell.buildId}`}
              >
                {isCompact ? (
                  <span class={`state state-${shown.tone}`} title={shown.word}>
                    <Icon name={shown.icon} size={18} />
                  </span>
                ) : (
                  <StateBadge label={shown} />
                )}
              </a>
            ) : (
              <span class="muted" aria-label="not built">
                –
              </span>
            )}
          </td>
        );
      })}
    </>
  );
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

function latestCells(builds: FullTicket['builds']): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const build of builds.toSorted((one, other) => one.id - other.id))
    for (const one of build.builds)
      cells.set(keyOf(one.package, one.version, one.architecture), { ...one, buildId: build.id });
  return cells;
}
