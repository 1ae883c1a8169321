import type { Person } from '../../api/openapi/contract.generated.ts';
import { usageError } from '../command-error.ts';
import { parseId } from '../definition/argument-parsers.ts';
import type { ApiClient, Page } from '../server/api-client.ts';

/**
 * The address of a person or a team.
 *
 * @param given an id or an e-mail address
 * @throws CommandError `usage` where nobody has the address
 */
export async function personUri(api: Pick<ApiClient, 'get'>, given: string): Promise<string> {
  if (/^\d+$/.test(given)) return `/api/v1/person/${parseId('person')(given)}/`;
  const { objects } = await api.get<Page<Person>>('/api/v1/person/', {
    email__iexact: given,
    limit: 1,
  });
  const [found] = objects;
  if (found) return found.resource_uri;
  throw usageError(
    `No person or team has the address ${JSON.stringify(given)}.`,
    'Add it with `airline person create`.',
  );
}
