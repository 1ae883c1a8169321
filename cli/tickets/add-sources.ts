import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import type { Subticket } from '../../api/openapi/contract.generated.ts';
import { CommandError, retold, usageError } from '../command-error.ts';
import type { ApiClient } from '../server/api-client.ts';
import { notAdded } from './not-added.ts';

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

/**
 * Adds the files of its upload to a subticket that was just made.
 *
 * @throws CommandError which says that it is there, which files it lacks, and what adds them
 */
export async function addFirstSources(
  api: Pick<ApiClient, 'write'>,
  made: Pick<Subticket, 'id' | 'resource_uri'>,
  urls: readonly string[],
): Promise<void> {
  for (const [at, url] of urls.entries())
    await addSources(api, made, [url]).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      throw retold(error, {
        message: `Subticket ${made.id} was made, but not all of its files were added: ${error.message}`,
        details: notAdded(error, urls.slice(at)),
        next: `\`airline artifact add URL --subticket ${made.id} --type SPU\` adds each of them.`,
      });
    });
}

/** @throws CommandError `usage` where one of the texts is no URL */
export function assertUrls(texts: readonly string[]): void {
  const wrong = texts.find((text) => !URL.canParse(text));
  if (wrong !== undefined) throw usageError(`${JSON.stringify(wrong)} is not a URL.`);
}
