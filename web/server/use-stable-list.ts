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

  useEffect(() => {
    if (!data || from === undefined) return undefined;
    if (!isSameList || shown.page.objects.length === 0 || idsOf(data) === idsOf(shown.page)) {
      setShown({ from, page: data });
      return undefined;
    }
    const gone = new AbortController();
    readRows(shown.page.objects, data.objects, resource, gone.signal)
      .then((objects) =>
        setShown((now) => {
          // Other rows are those that the reader has asked for meanwhile. The same ones may have changed since.
          const isSamePage = now?.from === from && idsOf(now.page) === idsOf(shown.page);
          return isSamePage ? { from, page: { ...shown.page, objects } } : now;
        }),
      )
      // The next change tries again.
      .catch(() => undefined);
    return () => gone.abort();
  }, [data]);

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

/** The shown rows as they are now: from the new page; the rows that have left it, by their ids. */
async function readRows<T extends Row>(
  shown: readonly T[],
  known: readonly T[],
  resource: string,
  signal: AbortSignal,
): Promise<T[]> {
  const byId = new Map(known.map((row) => [row.id, row]));
  const missing = shown.filter(({ id }) => !byId.has(id)).map(({ id }) => id);
  if (missing.length > 0) {
    const address = `${resource}?id__in=${missing.join(',')}&limit=${missing.length}`;
    const { objects } = await readWholePage<T>(address, signal);
    for (const row of objects) byId.set(row.id, row);
  }
  return shown.map((row) => byId.get(row.id) ?? row);
}

function idsOf({ objects }: Page<Row>): string {
  return objects.map(({ id }) => id).join(',');
}
