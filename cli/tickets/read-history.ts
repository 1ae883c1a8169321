import type { StatusChange } from '../../api/openapi/contract.generated.ts';
import type { ApiClient, Page } from '../server/api-client.ts';

/**
 * Every change of step and status of a ticket or a subticket, in their order.
 *
 * @param path of the ticket or the subticket
 * @returns one page, which stands for all that the API has; one that is the only one as it came
 */
export async function readHistory(
  api: Pick<ApiClient, 'get'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Page<StatusChange>> {
  const read = (after: number | undefined) =>
    api.get<Page<StatusChange>>(`${path}history/`, { ...query, after });
  const first = await read(undefined);
  const objects = [...first.objects];
  for (let page = first; page.meta.next !== null && page.objects.length > 0;) {
    page = await read(objects.at(-1)?.seq);
    objects.push(...page.objects);
  }
  if (objects.length === first.objects.length) return first;
  return { meta: { ...first.meta, limit: objects.length, next: null }, objects };
}
