import type { Page } from './api-types.ts';
import { request } from './request.ts';

/** As many pages of a list are read as one. */
const MAX_PAGES = 5;

/**
 * The first pages of a list, as one.
 *
 * @param path its first page
 * @returns `meta.total_count`: more than there are `objects`, where the rest is left out
 * @throws RequestError
 */
export async function readFirstPages<T>(path: string, signal: AbortSignal): Promise<Page<T>> {
  return readOn(await readPage<T>(path, signal), signal);
}

/**
 * One page of a list with as many rows as it was asked for, though the API may end it earlier by its bytes. Else the
 * rows between its end and the page after it would be on neither.
 *
 * @param path has the `limit`
 * @throws RequestError
 */
export async function readWholePage<T>(path: string, signal: AbortSignal): Promise<Page<T>> {
  const { meta, objects } = await readPage<T>(path, signal);
  let { next } = meta;
  while (objects.length < meta.limit && next !== null) {
    const more = await readPage<T>(next, signal);
    objects.push(...more.objects);
    // Where the list has ended meanwhile, an estimate of its length may lead on for ever.
    next = more.objects.length > 0 ? more.meta.next : null;
  }
  return { meta, objects: objects.slice(0, meta.limit) };
}

/**
 * The newest of a list whose oldest come first, as one page in its order.
 *
 * @param path its first page, as long as the API makes them; it has a query
 * @returns `meta.offset`: how many older ones are left out
 * @throws RequestError
 */
export async function readNewestPages<T>(path: string, signal: AbortSignal): Promise<Page<T>> {
  const first = await readPage<T>(path, signal);
  const leftOut = first.meta.total_count - MAX_PAGES * first.meta.limit;
  if (leftOut <= 0) return readOn(first, signal);
  return readOn(await readPage<T>(`${path}&offset=${leftOut}`, signal), signal);
}

/** A page and those after it, as one. Each leads to the next, wherever it ends. */
async function readOn<T>(first: Page<T>, signal: AbortSignal): Promise<Page<T>> {
  const objects = [...first.objects];
  let { next } = first.meta;
  for (let pages = 1; pages < MAX_PAGES && next !== null; pages++) {
    const page = await readPage<T>(next, signal);
    objects.push(...page.objects);
    next = page.meta.next;
  }
  return { meta: first.meta, objects };
}

async function readPage<T>(path: string, signal: AbortSignal): Promise<Page<T>> {
  return (await request<Page<T>>('GET', path, { signal })).body;
}
