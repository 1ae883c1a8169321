import { BadRequest, type Parameters } from './parameters.ts';

const DEFAULT_SIZE = 50;
const MAX_SIZE = 300;

/**
 * One page of a collection in lazr.restful's form: `ws.start` and `ws.size` choose it; it has the total if it
 * is the last one, else behind a link; `ws.show=total_size` gives the total alone.
 *
 * @param url address of this request, absolute
 * @param toEntry called for the records of the page only
 * @param largestPage records of a page at most, whatever is asked for
 */
export function pageOf<Row>(
  records: readonly Row[],
  toEntry: (record: Row) => unknown,
  url: URL,
  parameters: Parameters,
  largestPage = MAX_SIZE,
): number | Record<string, unknown> {
  if (parameters.text('ws.show') === 'total_size') return records.length;
  const start = parameters.wholeNumber('ws.start') ?? 0;
  const wanted = parameters.wholeNumber('ws.size') ?? DEFAULT_SIZE;
  if (wanted > MAX_SIZE) throw new BadRequest(`Maximum for "ws.size" is ${MAX_SIZE}.`);
  if (wanted < 1) throw new BadRequest('ws.size: must be at least 1.');
  const size = Math.min(wanted, largestPage);
  const end = start + size;
  const linkTo = (changes: Record<string, string>) => {
    const link = new URL(url);
    link.searchParams.delete('ws.show');
    for (const [name, value] of Object.entries(changes)) link.searchParams.set(name, value);
    return link.href;
  };
  const page = (from: number) =>
    linkTo({ 'ws.start': String(Math.max(0, from)), 'ws.size': String(size) });
  return {
    start,
    ...(end < records.length
      ? {
          total_size_link: linkTo({ 'ws.show': 'total_size' }),
          next_collection_link: page(end),
        }
      : { total_size: records.length }),
    ...(start > 0 ? { prev_collection_link: page(start - size) } : {}),
    entries: records.slice(start, end).map(toEntry),
  };
}
