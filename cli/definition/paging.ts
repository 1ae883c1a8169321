import type { Command } from 'commander';
import type { Output } from '../output/output.ts';
import type { Page } from '../server/api-client.ts';
import type { Column } from '../output/table.ts';
import { parseCount, parseLimit } from './argument-parsers.ts';

export type PagingOptions = { limit: number; offset: number };

/** What a command that shows a page says of `--json` and `--quiet`. */
export const PAGE_OUTPUT = { json: 'the page of the API: {"meta", "objects"}', quiet: 'ids' };

/** Gives a command the options that choose a page of a list. @param defaultLimit how many it shows unless told */
export function withPaging(command: Command, defaultLimit = 20): Command {
  return command
    .option('--limit <count>', 'show at most this many', parseLimit, defaultLimit)
    .option('--offset <count>', 'skip this many first', parseCount, 0);
}

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
    human: () => out.list(objects, columns, empty),
  });
  const end = meta.offset + objects.length;
  if (out.form === 'human' && objects.length > 0 && end < meta.total_count)
    out.notice(
      `${meta.offset + 1} to ${end} of ${meta.total_count}; --limit and --offset show others.`,
    );
}
