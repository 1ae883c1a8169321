import type { ComponentChildren } from 'preact';
import type { LoadedList } from '../server/loaded-list.ts';
import { ErrorNote, Skeleton } from './notes.tsx';
import { Pager, PastTheEnd } from './pager.tsx';

/**
 * One page of a list: what is told until it is there, where it cannot be had, where the list has ended before it, and
 * where there is nothing; and the way to the other pages.
 *
 * @param given.empty in place of a list without rows
 * @param given.addressOf the page that begins at a row
 * @param given.children the table of the rows
 */
export function PagedList<T>({
  list: {
    rows,
    staleOffset,
    total,
    loaded: { error, reload },
  },
  offset,
  limit,
  addressOf,
  empty,
  children,
}: {
  list: LoadedList<T>;
  offset: number;
  limit: number;
  addressOf: (offset: number) => string;
  empty: ComponentChildren;
  children: (rows: readonly T[]) => ComponentChildren;
}) {
  const isStale = staleOffset !== undefined;
  const isEmpty = rows?.length === 0;
  return (
    <>
      {error && <ErrorNote error={error} retry={reload} />}
      {(rows ? isEmpty && isStale : !error) && <Skeleton lines={12} />}
      {isEmpty &&
        !isStale &&
        (offset > 0 && total > 0 ? (
          <PastTheEnd total={total} limit={limit} addressOf={addressOf} />
        ) : (
          empty
        ))}
      {rows && rows.length > 0 && <div class="scroller">{children(rows)}</div>}
      {rows && <Pager {...{ offset, shown: staleOffset ?? offset, limit, total, addressOf }} />}
    </>
  );
}
