import { buildAddress, packageAddress } from '../addresses.ts';
import { Command, Empty } from '../components/notes.tsx';
import { StateMark } from '../components/state-mark.tsx';
import type { ArchitectureBuild, FullTicket } from '../server/shapes.ts';
import { showArchitecture, showStep } from '../states.ts';

type Subticket = FullTicket['subtickets'][number];
type Cell = ArchitectureBuild & { buildId: number };

/** What is built where: packages down, architectures across, each as its latest build has it. */
export function PackageMatrix({ ticket }: { ticket: FullTicket }) {
  const { subtickets, builds } = ticket;
  const cells = latestCells(builds);
  const architectures = [...new Set([...cells.values()].map(({ architecture }) => architecture))];
  architectures.sort();
  const names = new Set(subtickets.map(nameOf));
  const others = [...new Set([...cells.values()].map((cell) => cell.package))].filter(
    (name) => !names.has(name),
  );
  if (subtickets.length === 0 && others.length === 0)
    return (
      <Empty icon="package" title="The ticket has no packages.">
        <p>Each package is a subticket. Add one of an upload:</p>
        <Command>{`airline subticket create --ticket ${ticket.id} --package hello --package-version 2.10-3`}</Command>
      </Empty>
    );
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label="Packages and architectures">
      <table class="list matrix">
        <caption class="unseen">The state of each package on each architecture</caption>
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
          </tr>
        </thead>
        <tbody>
          {subtickets.map((subticket) => (
            <tr key={subticket.id}>
              <th scope="row">
                <a data-row href={packageAddress(nameOf(subticket))}>
                  {nameOf(subticket)}
                </a>
                {subticket.replaced_by !== null && <span class="muted"> (replaced)</span>}
              </th>
              <td>{subticket.source_package_upload.version}</td>
              <td>
                <StateMark shown={showStep(subticket.current_workflow_step)} isPlain />
              </td>
              <Cells architectures={architectures} name={nameOf(subticket)} cells={cells} />
            </tr>
          ))}
          {others.map((name) => (
            <tr key={name}>
              <th scope="row">
                <a data-row href={packageAddress(name)}>
                  {name}
                </a>
              </th>
              <td>{[...cells.values()].find((cell) => cell.package === name)?.version}</td>
              <td class="muted">no subticket</td>
              <Cells architectures={architectures} name={name} cells={cells} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cells({
  architectures,
  name,
  cells,
}: {
  architectures: readonly string[];
  name: string;
  cells: ReadonlyMap<string, Cell>;
}) {
  if (architectures.length === 0) return <td class="muted">none yet</td>;
  return (
    <>
      {architectures.map((architecture) => {
        const cell = cells.get(keyOf(name, architecture));
        const shown = cell && showArchitecture(cell);
        return (
          <td key={architecture}>
            {cell && shown ? (
              <a
                class="quiet"
                href={buildAddress(cell.buildId)}
                aria-label={`${name} on ${architecture}: ${shown.word}, build ${cell.buildId}`}
              >
                <StateMark shown={shown} />
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

function nameOf(subticket: Subticket): string {
  return subticket.source_package_upload.sourcepackage.name;
}

function keyOf(name: string, architecture: string): string {
  return JSON.stringify([name, architecture]);
}

function latestCells(builds: FullTicket['builds']): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const build of builds.toSorted((one, other) => one.id - other.id))
    for (const one of build.builds)
      cells.set(keyOf(one.package, one.architecture), { ...one, buildId: build.id });
  return cells;
}
