import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';
import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import { packageAddress } from '../addresses.ts';
import { Empty, ErrorNote } from '../components/notes.tsx';
import { RowsSection } from '../components/rows-section.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { counted } from '../format.ts';
import type { Gate, Landing, Page, Testrun } from '../server/api-types.ts';
import { readFirstPages } from '../server/read-pages.ts';
import { useResource } from '../server/use-resource.ts';
import { testLabel } from './labels.ts';
import { testRows, type TestCell, type TestRow } from './test-cells.ts';
import { TestLog, testLogAddress } from './test-log.tsx';

/**
 * The tests of a landing: each package on each architecture, and their logs.
 *
 * @param given.children what is told of those that do not pass
 */
export function LandingTests({
  landing,
  gate,
  children,
}: {
  landing: Landing;
  gate: Gate | undefined;
  children: ComponentChildren;
}) {
  const { query } = useLocation();
  const { data, error, reload } = useResource<Page<Testrun>>(
    `/api/v1/testrun/?landing_id=${landing.id}&attempt=${landing.attempt}&order_by=-id&limit=${MAX_LIMIT}`,
    (change) => change.landing.includes(landing.id),
    readFirstPages,
  );
  const earlier = data ? data.meta.total_count - data.objects.length : 0;
  const rows = testRows(data?.objects ?? [], {
    excuses: gate?.excuses ?? [],
    isUnderWay: landing.finished_at === null,
  });
  const architectures = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].toSorted();
  const open = Number(query['run']);
  return (
    <>
      <RowsSection
        id="tests"
        title="Tests"
        rows={rows}
        keyOf={({ source }) => source}
        empty={<NoTests landing={landing} />}
      >
        {(held) => (
          <>
            <Matrix rows={held} architectures={architectures} landing={landing} />
            {earlier > 0 && (
              <p class="muted">
                {counted(earlier, 'earlier run is', 'earlier runs are')} not shown here.{' '}
                <code>airline landing tests {landing.id}</code> lists all runs.
              </p>
            )}
          </>
        )}
      </RowsSection>
      {error && <ErrorNote what="The tests" error={error} retry={reload} />}
      {children}
      {Number.isSafeInteger(open) && open > 0 && <TestLog runId={open} landing={landing} />}
    </>
  );
}

function Matrix({
  rows,
  architectures,
  landing,
}: {
  rows: readonly TestRow[];
  architectures: readonly string[];
  landing: Landing;
}) {
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label="Tests and architectures">
      <table class="list matrix tests">
        <caption class="visually-hidden">The tests of each package on each architecture</caption>
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Why</th>
            {architectures.map((architecture) => (
              <th key={architecture} scope="col">
                {architecture}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ source, version, why, cells }) => (
            <tr key={source}>
              <th scope="row">
                <a href={packageAddress(source)}>{source}</a> <span class="muted">{version}</span>
              </th>
              <td class="muted">{why}</td>
              {architectures.map((architecture) => (
                <td key={architecture}>
                  <Cell cell={cells.get(architecture)} landing={landing} />
                </td>
              ))}
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell, landing }: { cell: TestCell | undefined; landing: Landing }) {
  if (!cell)
    return (
      <span class="muted" aria-label="not tested">
        –
      </span>
    );
  const { run, says, passed } = cell;
  const label = testLabel(says);
  const inside = (
    <>
      <StateBadge label={label} />
      <span class="muted figure"> {passed}</span>
    </>
  );
  if (run.log_url === null) return inside;
  const name = `${run.source} on ${run.architecture}: ${`${label.word} ${passed}`.trim()}`;
  return (
    <a class="quiet" href={testLogAddress(landing, run.id)} aria-label={`${name}, its log`}>
      {inside}
    </a>
  );
}

function NoTests({ landing: { phase, finished_at: finishedAt } }: { landing: Landing }) {
  const isBefore = ['queued', 'leasing', 'building', 'imaging'].includes(phase);
  if (phase === 'testing' || (isBefore && finishedAt === null))
    return (
      <Empty icon="queued" title="No test is planned yet.">
        <p>When the packages are built and in an image, it is planned which tests are run.</p>
      </Empty>
    );
  return (
    <Empty icon="cancelled" title="No test was run.">
      <p>The policy of the target says which tests a landing needs.</p>
    </Empty>
  );
}
