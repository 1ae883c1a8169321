import { fileNameOfUrl } from '../../domain/source-file.ts';
import type { Subticket } from '../../api/openapi/contract.generated.ts';
import { usageError } from '../command-error.ts';
import type { ApiClient } from '../server/api-client.ts';

/**
 * Adds the files of its upload to a subticket.
 *
 * @throws CommandError `usage` where one of the texts is no URL; nothing is added then
 */
export async function addSources(
  api: Pick<ApiClient, 'write'>,
  { resource_uri: subticket }: Subticket,
  urls: readonly string[],
): Promise<void> {
  const artifacts = sourcesOf(urls);
  for (const artifact of artifacts)
    await api.write('POST', '/api/v1/subticketartifact/', { ...artifact, subticket });
}

/** The files by their names. @throws CommandError `usage` where one of the texts is no URL */
export function sourcesOf(urls: readonly string[]) {
  return urls.map((reference) => {
    if (!URL.canParse(reference)) throw usageError(`${JSON.stringify(reference)} is not a URL.`);
    return { name: fileNameOfUrl(reference) || reference, type: 'SPU', reference };
  });
}
