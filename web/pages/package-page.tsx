import { percentage } from '../../domain/text/percentage.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { buildPlaceAddress } from '../build/build-place.ts';
import { PageHeading } from '../components/page-heading.tsx';
import { Icon } from '../components/icon.tsx';
import { Ago } from '../components/relative-time.tsx';
import { LoadingPage } from '../components/loading-page.tsx';
import { Empty, ErrorNote } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TableHead } from '../components/table-head.tsx';
import { count, counted, exactTime } from '../format.ts';
import { Plot } from '../plot/plot.tsx';
import { buildTimeSeries } from '../plot/build-time-series.ts';
import type { BuildRecord, PackageHistory } from '../server/api-types.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { useResource } from '../server/use-resource.ts';
import { outcomeLabel } from '../states.ts';
import { NotFoundPage } from './not-found-page.tsx';

const MAX_SHOWN = 100;

/** One package: its versions, how its builds went, and how long they took. */
export function PackagePage({ name }: { name: string }) {
  return <PackageOf key={name} name={name} />;
}

function PackageOf({ name }: { name: string }) {
  const { data, error, reload } = useResource<PackageHistory>(
    `/api/v1/packagestatistics/${encodeURIComponent(name)}/`,
    ({ build }) => build.length > 0,
  );
  if (error?.status === 404) return <NotFoundPage what={`There is no package ${name}`} />;
  if (!data)
    return (
      <LoadingPage list={['/packages', 'Packages']} title={name} error={error} retry={reload} />
    );
  const { history } = data;
  return (
    <>
      <p class="crumbs">
        <a href="/packages">Packages</a> / <span class="breakable">{name}</span>
      </p>
      <div class="page-head">
        <PageHeading title={name} />
        <div class="actions">
          <a class="button" href={`/tickets?show=all&q=${encodeURIComponent(name)}`}>
            <Icon name="tickets" />
            Tickets with it
          </a>
        </div>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      <dl class="figures">
        <Figure name="Latest version" value={data.latest_version ?? 'none'} />
        <Figure
          name="Builds"
          value={count(data.builds)}
          more={`${count(data.succeeded)} good, ${count(data.failed)} failed, ${count(data.cancelled)} cancelled`}
        />
        <Figure
          name="Success"
          value={data.success_rate === null ? '–' : percentage(data.success_rate)}
        />
        <Figure
          name="Build time"
          value={data.median_build_ms === null ? '–' : durationText(data.median_build_ms)}
          more="median"
        />
      </dl>
      {history.length === 0 ? (
        <Empty icon="package" title="It has not been built yet.">
          <p>Its builds, their times and their outcomes show up here.</p>
        </Empty>
      ) : (
        <>
          <section aria-labelledby="times">
            <h2 id="times">Build time</h2>
            <Plot
              label={`Build time of ${name} over its builds, by architecture`}
              {...buildTimeSeries(history)}
              kind="points"
              format={durationText}
            />
          </section>
          <section aria-labelledby="versions">
            <h2 id="versions">Versions</h2>
            <Versions history={history} />
            <LastOf count={history.length} all={data.builds} />
          </section>
          <section aria-labelledby="builds">
            <h2 id="builds">Builds</h2>
            <PackageBuilds history={history} />
            <LastOf count={Math.min(history.length, MAX_SHOWN)} all={data.builds} />
          </section>
        </>
      )}
    </>
  );
}

function Figure({
  name,
  value,
  more,
}: {
  name: string;
  value: preact.ComponentChildren;
  more?: string;
}) {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd>
        <span class="figure-value breakable">{value}</span>
        {more !== undefined && <span class="muted">{more}</span>}
      </dd>
    </div>
  );
}

function Versions({ history }: { history: readonly BuildRecord[] }) {
  const versions = new Map<string, BuildRecord[]>();
  for (const one of history) versions.set(one.version, [...(versions.get(one.version) ?? []), one]);
  return (
    <table class="list versions">
      <caption class="visually-hidden">Versions that were built</caption>
      <TableHead columns={['Version', 'Good', 'Failed', 'Last built']} />
      <tbody>
        {[...versions].map(([version, builds]) => {
          const last = builds
            .map(({ finished_at: at }) => at)
            .toSorted()
            .at(-1);
          return (
            <tr key={version}>
              <td class="cell-main breakable">{version}</td>
              <td class="figure" data-name="good">
                {builds.filter(({ state }) => state === 'completed').length}
              </td>
              <td class="figure" data-name="failed">
                {builds.filter(({ state }) => state === 'failed').length}
              </td>
              <td>{last !== undefined && <Ago at={last} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function PackageBuilds({ history }: { history: readonly BuildRecord[] }) {
  const shown = history
    .toSorted(
      (one, other) => idOfUri(other.build) - idOfUri(one.build) || other.attempt - one.attempt,
    )
    .slice(0, MAX_SHOWN);
  return (
    <>
      <table class="list">
        <caption class="visually-hidden">Builds of the package</caption>
        <TableHead columns={['Build', 'Outcome', 'Version', 'Where', 'Time', 'Ended']} />
        <tbody>
          {shown.map((one) => (
            <tr key={`${one.build} ${one.attempt} ${one.architecture}`}>
              <td class="cell-main">
                <a data-row href={buildPlaceAddress(idOfUri(one.build), { attempt: one.attempt })}>
                  Build {idOfUri(one.build)}
                </a>
                {one.attempt > 1 && <span class="muted"> attempt {one.attempt}</span>}
              </td>
              <td>
                <StateBadge label={outcomeLabel(one.state)} />
              </td>
              <td class="breakable">{one.version}</td>
              <td class="breakable">
                {one.architecture}, {one.series} <span class="muted">in {one.ppa}</span>
              </td>
              <td class="figure">
                {one.duration_ms === null ? (
                  <span class="muted">–</span>
                ) : (
                  durationText(one.duration_ms)
                )}
              </td>
              <td>
                <time dateTime={one.finished_at}>{exactTime(one.finished_at)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Says of how many builds a table tells, where these are not all. */
function LastOf({ count: told, all }: { count: number; all: number }) {
  if (told >= all) return null;
  return (
    <p class="muted">
      The last {count(told)} of {counted(all, 'build')}.
    </p>
  );
}
