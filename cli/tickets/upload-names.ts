import type { Sourcepackage, Spu } from '../../api/openapi/contract.generated.ts';
import { idOfUri } from '../server/resource-uri.ts';
import type { ApiClient } from '../server/api-client.ts';

type Listed<T> = { objects: T[] };

/**
 * What source package uploads are called: `hello 2.10-3`.
 *
 * @param uris of the uploads; null is passed over
 * @returns by their URIs
 */
export async function uploadNames(
  api: Pick<ApiClient, 'get'>,
  uris: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const uploads = await listed<Spu>(
    api,
    'spu',
    uris.filter((uri) => uri !== null),
  );
  const packages = await listed<Sourcepackage>(
    api,
    'sourcepackage',
    uploads.map((one) => one.sourcepackage),
  );
  const names = new Map(packages.map((one) => [one.resource_uri, one.name]));
  return new Map(
    uploads.map((one) => [
      one.resource_uri,
      `${names.get(one.sourcepackage) ?? ''} ${one.version}`.trim(),
    ]),
  );
}

async function listed<T>(
  api: Pick<ApiClient, 'get'>,
  resource: string,
  uris: readonly string[],
): Promise<T[]> {
  const ids = [...new Set(uris.map(idOfUri))];
  if (ids.length === 0) return [];
  return (await api.get<Listed<T>>(`/api/v1/${resource}/set/${ids.join(';')}/`)).objects;
}
