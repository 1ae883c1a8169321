import type { ApiContext } from '../http/context.ts';
import type { Row } from '../../models/sql/query.ts';
import { answerPage } from './answers.ts';
import { DEFAULT_ENTRIES, pageOf, type EventPage } from './page-parameters.ts';
import type { Resource } from './resource.ts';

/**
 * Answers with a page of the events of a resource's row, which are numbered from 1 without a gap.
 *
 * @param read gives so many events after a `seq`, in order
 */
export async function answerEvents(
  ctx: ApiContext,
  resource: Resource,
  row: Row,
  { after, ...page }: EventPage,
  read: (after: number, limit: number) => Promise<{ seq: number }[]>,
): Promise<void> {
  const id = row['id'] as number;
  const { limit } = pageOf(page, DEFAULT_ENTRIES);
  const objects = await read(after, limit);
  const total = row['lastSeq'] as number;
  const last = objects.at(-1)?.seq ?? after;
  const path = `${resource.uriOf(id)}events/`;
  answerPage(ctx, {
    meta: {
      limit,
      next: last < total && objects.length > 0 ? `${path}?after=${last}&limit=${limit}` : null,
      offset: Math.min(after, total),
      previous: null,
      total_count: total,
    },
    objects,
  });
}
