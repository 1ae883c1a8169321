import { useLocation } from 'preact-iso/router';
import { durationText } from '../../domain/text/quantity-text.ts';
import { offsetIn, packageAddress } from '../addresses.ts';
import { DelayedInput } from '../components/delayed-input.tsx';
import { PageHeading } from '../components/page-heading.tsx';
import { Ago } from '../components/relative-time.tsx';
import { Command, Empty } from '../components/notes.tsx';
import { PagedList } from '../components/paged-list.tsx';
import { SortHead } from '../components/sort-head.tsx';
import { SuccessRate } from '../components/success-rate.tsx';
import { count, counted } from '../format.ts';
import type { PackageStatistics, Page } from '../server/api-types.ts';
import { loadedList } from '../server/loaded-list.ts';
import { useResource } from '../server/use-resource.ts';

const LIMIT = 25;
const LATEST_FIRST = '-last_build_at';
const COLUMNS = [
  { name: 'Package', order: 'name', firstDown: false },
  { name: 'Latest version', order: undefined, firstDown: false },
  { name: 'Builds', order: 'builds', firstDown: true },
  { name: 'Success', order: 'success_rate', firstDown: false },
  { name: 'Build time', order: 'median_build_ms', firstDown: true },
  { name: 'Last build', order: 'last_build_at', firstDown: true },
] as const;

/** What is built, how well it goes and how long it takes. */
export function PackagesPage() {
  const { query, route } = useLocation();
  const q = query['q'] ?? '';
  const order = query['order'] ?? LATEST_FIRST;
  const offset = offsetIn(query);
  const loaded = useResource<Page<PackageStatistics>>(
    `/api/v1/packagestatistics/?${new URLSearchParams({ q, order_by: order, limit: String(LIMIT), offset: String(offset) })}`,
  );
  const { data, error, isStale, isLoading } = loaded;
  const addressOf = (asked: { q: string; order: string; offset: number }) => {
    const address = new URLSearchParams();
    if (asked.q !== '') address.set('q', asked.q);
    if (asked.order !== LATEST_FIRST) address.set('order', asked.order);
    if (asked.offset > 0) address.set('offset', String(asked.offset));
    return address.size > 0 ? `/packages?${address}` : '/packages';
  };

  return (
    <>
      <div class="page-head">
        <PageHeading title="Packages" />
      </div>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="field field-search">
          <span>Search</span>
          <DelayedInput
            isSearch
            value={q}
            placeholder="Name of a source package"
            onValue={(typed) => route(addressOf({ q: typed, order, offset: 0 }), true)}
          />
        </label>
      </form>
      <div class="list-line">
        <p class="muted figure" role="status">
          {data && !isStale ? counted(data.meta.total_count, 'package') : error ? '' : 'Loading…'}
        </p>
      </div>
      <PagedList
        list={loadedList(loaded)}
        offset={offset}
        limit={LIMIT}
        addressOf={(to) => addressOf({ q, order, offset: to })}
        empty={<NoPackages isFiltered={q !== ''} />}
      >
        {(rows) => (
          <table class="list packages" aria-busy={isLoading}>
            <caption class="visually-hidden">Source packages</caption>
            <thead>
              <tr>
                {COLUMNS.map((column) => (
                  <SortHead
                    key={column.name}
                    {...column}
                    isOneWay
                    by={order}
                    addressOf={(by) => addressOf({ q, order: by, offset: 0 })}
                  />
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.name}>
                  <td class="cell-main">
                    <a data-row class="breakable" href={packageAddress(one.name)}>
                      {one.name}
                    </a>
                  </td>
                  <td class="breakable">{one.latest_version ?? <span class="muted">none</span>}</td>
                  <td class="figure" data-name="builds">
                    {count(one.builds)}
                  </td>
                  <td>
                    <SuccessRate of={one} />
                  </td>
                  <td class="figure" data-before="takes">
                    {one.median_build_ms === null ? (
                      <span class="muted">–</span>
                    ) : (
                      durationText(one.median_build_ms)
                    )}
                  </td>
                  <td data-before="last built">
                    {one.last_build_at === null ? (
                      <span class="muted">never</span>
                    ) : (
                      <Ago at={one.last_build_at} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
    </>
  );
}

function NoPackages({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon="search" title="No package has that name.">
        <p>
          <a href="/packages">Show all packages</a>.
        </p>
      </Empty>
    );
  return (
    <Empty icon="package" title="There are no packages yet.">
      <p>A package is known once a ticket has it. Submit one:</p>
      <Command>
        airline submit ../hello_2.10-3_source.changes --ppa ppa:you/landing --series noble
      </Command>
    </Empty>
  );
}
