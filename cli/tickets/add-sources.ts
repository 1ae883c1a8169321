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
  { resource_uri: subticket }: Pick<Subticket, 'resource_uri'>,
  urls: readonly string[],
): Promise<void> {
  assertUrls(urls);
  for (const reference of urls)
    await api.write('POST', '/api/v1/subticketartifact/', {
      name: fileNameOfUrl(reference) || reference,
      type: 'SPU',
      reference,
      subticket,
    });
}

/** @throws CommandError `usage` where one of the texts is no URL */
export function assertUrls(texts: readonly string[]): void {
  const wrong = texts.find((text) => !URL.canParse(text));
  if (wrong !== undefined) throw usageError(`${JSON.stringify(wrong)} is not a URL.`);
}
