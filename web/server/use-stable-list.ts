import { useEffect, useRef, useState } from 'preact/hooks';
import type { Change } from './changes.ts';
import { readWholePage } from './read-pages.ts';
import type { Page } from './api-types.ts';
import type { LoadedList } from './loaded-list.ts';
import { useResource, type Resource } from './use-resource.ts';

type Row = { id: number };

/**
 * The rows of a list that do not move under the reader's eyes: what is shown changes in its place, and rows that came
 * or went wait until they are asked for.
 *
 * @param list the address of the page of the list; another one is another list
 * @param options.resource the list of all such rows, whatever the page is filtered by
 * @param options.read how the page is read, where what the API is asked for it changes with time
 */
export function useStableList<T extends Row>(
  list: string,
  {
    resource,
    concerns,
    read = readWholePage,
  }: {
    resource: string;
    concerns: (change: Change) => boolean;
    read?: (list: string, signal: AbortSignal) => Promise<Page<T>>;
  },
): LoadedList<T> & {
  hasNews: boolean;
  showNews: () => void;
  loaded: Resource<Page<T>>;
} {
  const loaded = useResource<Page<T>>(list, concerns, read);
  const { data, from } = loaded;
  const [shown, setShown] = useState<{ from: string; page: Page<T> }>();
  const newest = useRef(data);
  newest.current = data;

  const isSameList = shown !== undefined && shown.from === from;
  const hasNews = isSameList && data !== undefined && idsOf(data) !== idsOf(shown.page);

  const idsNow = new Set(data?.objects.map(({ id }) => id));
  const left = isSameList && data ? shown.page.objects.filter(({ id }) => !idsNow.has(id)) : [];
  const rowsThatLeft = useResource<Page<T>>(
    left.length === 0
      ? null
      : `${resource}?id__in=${left.map(({ id }) => id).join(',')}&limit=${left.length}`,
    concerns,
    readWholePage,
  ).data;

  useEffect(() => {
    if (!data || from === undefined) return;
    setShown((now) =>
      now?.from !== from || now.page.objects.length === 0 || idsOf(data) === idsOf(now.page)
        ? { from, page: data }
        : { from, page: withRows(now.page, data.objects) },
    );
  }, [data]);
  useEffect(() => {
    if (!rowsThatLeft) return;
    // One that came back meanwhile may have changed since.
    const back = new Set(newest.current?.objects.map(({ id }) => id));
    const rows = rowsThatLeft.objects.filter(({ id }) => !back.has(id));
    setShown((now) => now && { ...now, page: withRows(now.page, rows) });
  }, [rowsThatLeft]);

  return {
    rows: data && shown?.page.objects,
    staleOffset: shown && shown.from !== list ? shown.page.meta.offset : undefined,
    total: data?.meta.total_count ?? 0,
    hasNews,
    showNews: () => {
      if (newest.current && from !== undefined) setShown({ from, page: newest.current });
    },
    loaded,
  };
}

/** A page with each of its rows that is among newer ones as it is there. */
function withRows<T extends Row>(page: Page<T>, newer: readonly T[]): Page<T> {
  const byId = new Map(newer.map((row) => [row.id, row]));
  return { ...page, objects: page.objects.map((row) => byId.get(row.id) ?? row) };
}

function idsOf({ objects }: Page<Row>): string {
  return objects.map(({ id }) => id).join(',');
}
