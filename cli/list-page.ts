import type { Output } from './output.ts';
import type { Page } from './rest.ts';
import type { Column } from './table.ts';

/** Shows a page of a list: a table for people, the page as it came for programs, ids or names for scripts. */
export async function showPage<T extends { id: number } | { name: string }>(
  out: Output,
  page: Page<T>,
  columns: readonly Column<T>[],
  empty: string,
): Promise<void> {
  const { meta, objects } = page;
  await out.show({
    json: page,
    quiet: objects.map((one) => ('id' in one ? one.id : one.name)),
    human: () => out.table(objects, columns, empty),
  });
  const end = meta.offset + objects.length;
  if (out.form === 'human' && objects.length > 0 && end < meta.total_count)
    out.notice(
      `${meta.offset + 1} to ${end} of ${meta.total_count}; --limit and --offset show others.`,
    );
}
