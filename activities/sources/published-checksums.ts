import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { SourcePublication } from '../../ppa/wire.ts';

/** The SHA-256 of each file of a publication, by the file's name. */
export async function publishedChecksums(
  ppaClient: PpaClient,
  { self_link }: SourcePublication,
): Promise<ReadonlyMap<string, string>> {
  const files = await ppaClient.sourceFileUrls(self_link);
  return new Map(files.map(({ url, sha256 }) => [fileNameOfUrl(url), sha256]));
}
