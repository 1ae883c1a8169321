import { durationText } from '../../domain/text/quantity-text.ts';
import { buildHasFailed } from '../../domain/builds/retry-choice.ts';
import { nowMs } from '../clock.ts';
import { StateBadge } from '../components/state-badge.tsx';
import { counted, roughDuration } from '../format.ts';
import type { ArchitectureBuild, ExpectedDuration } from '../server/api-types.ts';
import { architectureLabel } from '../states.ts';
import type { Stretches } from './build-times.ts';
import type { Cells } from './cells.ts';
import { stretchWords, TimeBar, totalMs } from './time-bar.tsx';

export type OnRetry = (architecture: string) => void;

/**
 * The builds of one package: each architecture's state, how long it takes and is expected to take, and its log.
 *
 * @param onRetry asks to build one of them alone again; undefined where the reader cannot
 */
export function Architectures({ cells, onRetry }: { cells: Cells; onRetry: OnRetry | undefined }) {
  // Where one alone failed, a retry of the build is the same.
  const hasChoice = cells.builds.filter(buildHasFailed).length > 1;
  const now = nowMs.value;
  const rows = cells.builds.map((one) => ({
    one,
    stretches: cells.stretchesOf(one, now),
    expected: cells.expectedOf(one),
  }));
  const ofMs = Math.max(
    ...rows.map(({ stretches, expected }) =>
      Math.max(totalMs(stretches), (stretches.waitedMs ?? 0) + (expected?.median_ms ?? 0)),
    ),
  );
  return (
    <ul class="card">
      {rows.map((row) => (
        <Architecture
          key={`${row.one.package} ${row.one.architecture}`}
          {...row}
          {...{ cells, ofMs }}
          onRetry={hasChoice && buildHasFailed(row.one) ? onRetry : undefined}
        />
      ))}
    </ul>
  );
}

function Architecture({
  one,
  stretches,
  expected,
  cells,
  ofMs,
  onRetry,
}: {
  one: ArchitectureBuild;
  stretches: Stretches;
  expected: ExpectedDuration | undefined;
  cells: Cells;
  ofMs: number;
  onRetry: OnRetry | undefined;
}) {
  const label = architectureLabel(one, cells.isCancelling);
  const medianMs = expected?.median_ms ?? undefined;
  const isOpen = cells.isOpen(one);
  return (
    <li class={`architecture ${isOpen ? 'architecture-open' : ''}`}>
      <a
        class="architecture-name"
        href={cells.addressOf(one)}
        data-row
        aria-current={isOpen ? 'true' : undefined}
        aria-label={`${one.package} on ${one.architecture}: ${label.word}`}
      >
        {one.architecture}
      </a>
      <span>
        <StateBadge label={label} isPlain />
      </span>
      <span class="architecture-time figure" title={stretchWords(stretches)}>
        {stretches.builtMs === undefined ? '–' : durationText(stretches.builtMs)}
        {medianMs !== undefined && <span class="muted"> of about {roughDuration(medianMs)}</span>}
      </span>
      <TimeBar stretches={stretches} tone={label.tone} ofMs={ofMs} />
      <span class="architecture-source muted">{sourceOf(one, stretches, expected)}</span>
      {onRetry && (
        <button
          type="button"
          class="button architecture-retry"
          onClick={() => onRetry(one.architecture)}
        >
          Retry this architecture<span class="visually-hidden">: {one.architecture}</span>
        </button>
      )}
    </li>
  );
}

/** How long it waited, and where the time that it is expected to take comes from. */
function sourceOf(
  one: ArchitectureBuild,
  { waitedMs }: Stretches,
  expected: ExpectedDuration | undefined,
): string {
  const waited = waitedMs === undefined ? '' : `waited ${durationText(waitedMs)}; `;
  return `${waited}${expectationOf(one, expected)}`;
}

function expectationOf(one: ArchitectureBuild, expected: ExpectedDuration | undefined): string {
  if (!expected) return 'usual time not known yet';
  if (expected.median_ms === null || expected.builds === 0)
    return `no earlier build on ${one.architecture} to go by`;
  return expected.builds === 1
    ? 'as its one earlier build took'
    : `median of its last ${counted(expected.builds, 'build')}`;
}
