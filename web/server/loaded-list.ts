import type { Page } from './api-types.ts';
import type { Resource } from './use-resource.ts';

/** One page of a list, as far as it was loaded. */
export type LoadedList<T> = {
  /** Undefined until they are loaded. */
  rows: readonly T[] | undefined;
  /** Where the rows are still those of another page or list: the number of the first of them in it. */
  staleOffset: number | undefined;
  /** How many rows all pages have; 0 until that is known. */
  total: number;
  loaded: Pick<Resource<unknown>, 'error' | 'reload'>;
};

/** A page of a list as it was loaded last. */
export function loadedList<T>(loaded: Resource<Page<T>>): LoadedList<T> {
  const { data, isStale } = loaded;
  return {
    rows: data?.objects,
    staleOffset: isStale ? data?.meta.offset : undefined,
    total: data?.meta.total_count ?? 0,
    loaded,
  };
}
