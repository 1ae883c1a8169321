import type { Page } from './api-types.ts';
import { request } from './request.ts';

/** As many pages of a list are read as one. */
const MAX_PAGES = 5;

/**
 * The newest of a list whose oldest come first, as one page in its order.
 *
 * @param path its first page, as long as the API makes them; it has a query
 * @returns `meta.offset`: how many older ones are left out
 * @throws RequestError
 */
export async function readNewestPages<T>(path: string, signal: AbortSignal): Promise<Page<T>> {
  const read = async (at: string) => (await request<Page<T>>('GET', at, { signal })).body;
  let page = await read(path);
  const leftOut = page.meta.total_count - MAX_PAGES * page.meta.limit;
  if (leftOut > 0) page = await read(`${path}&offset=${leftOut}`);
  const { meta } = page;
  const objects = [...page.objects];
  for (let pages = 1; pages < MAX_PAGES && page.meta.next !== null; pages++) {
    page = await read(page.meta.next);
    objects.push(...page.objects);
  }
  return { meta, objects };
}
