import { useState } from 'preact/hooks';
import { roughNowMs } from '../clock.ts';
import { Icon } from '../components/icon.tsx';
import type { ArchitectureBuild } from '../server/api-types.ts';
import { architectureLabel } from '../states.ts';
import type { Stretches } from './build-times.ts';
import type { Cells } from './cells.ts';
import { packageRows, type PackageRow } from './record-groups.ts';
import { stretchWords, TimeBar, totalMs } from './time-bar.tsx';

/**
 * Packages down, architectures across. Rows keep their order while it is looked at; a new choice of rows puts failures
 * first again.
 *
 * @param choice names the choice of rows
 */
export function BuildMatrix({
  cells,
  choice,
  wanted,
}: {
  cells: Cells;
  choice: string;
  wanted: (one: ArchitectureBuild) => boolean;
}) {
  const rows = useKeptOrder(packageRows(cells.builds.filter(wanted)), choice);
  const architectures = [...new Set(cells.builds.map((one) => one.architecture))].toSorted();
  const now = roughNowMs.value;
  const stretches = new Map(cells.builds.map((one) => [one, cells.stretchesOf(one, now)]));
  const ofMs = Math.max(...[...stretches.values()].map(totalMs));
  return (
    <div
      class="build-matrix card"
      tabIndex={0}
      role="region"
      aria-label="Packages and architectures"
    >
      <table>
        <caption class="visually-hidden">
          The state of each package on each architecture, with a link to its log
        </caption>
        <thead>
          <tr>
            <th scope="col">Package</th>
            {architectures.map((architecture) => (
              <th key={architecture} scope="col">
                {architecture}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" title={`${row.package} ${row.version}`}>
                <span class="cut">{row.package}</span>
                <span class="cut muted">{row.version}</span>
              </th>
              {architectures.map((architecture) => {
                const one = row.cells.get(architecture);
                return (
                  <td key={architecture}>
                    {one ? (
                      <Cell
                        one={one}
                        cells={cells}
                        stretches={stretches.get(one) ?? {}}
                        ofMs={ofMs}
                      />
                    ) : (
                      <span class="muted" aria-label="not built">
                        –
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  one,
  cells,
  stretches,
  ofMs,
}: {
  one: ArchitectureBuild;
  cells: Cells;
  stretches: Stretches;
  ofMs: number;
}) {
  const label = architectureLabel(one, cells.isCancelling);
  const words = [label.word, stretchWords(stretches)].filter(Boolean).join(', ');
  return (
    <a
      class={`build-cell state-plain state-${label.tone}`}
      href={cells.addressOf(one)}
      data-row
      aria-current={cells.isOpen(one) ? 'true' : undefined}
      aria-label={`${one.package} on ${one.architecture}: ${words}`}
      title={`${one.package} on ${one.architecture}: ${words}`}
    >
      <Icon name={label.icon} size={18} />
      <TimeBar stretches={stretches} tone={label.tone} ofMs={ofMs} />
    </a>
  );
}

function keyOf({ package: name, version }: PackageRow): string {
  return `${name} ${version}`;
}

/** Rows in the order that they had when the choice was made; what came since is at the end. */
function useKeptOrder(rows: readonly PackageRow[], choice: string): readonly PackageRow[] {
  const [kept, setKept] = useState<{ choice: string; keys: string[] }>({ choice, keys: [] });
  const keys = rows.map(keyOf);
  const known = kept.choice === choice ? kept.keys : [];
  const added = keys.filter((key) => !known.includes(key));
  const order = [...known, ...added];
  if (kept.choice !== choice || added.length > 0) setKept({ choice, keys: order });
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return order.flatMap((key) => byKey.get(key) ?? []);
}
