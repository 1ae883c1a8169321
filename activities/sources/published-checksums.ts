import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { SourcePublication } from '../../ppa/wire.ts';

// Signing changes a .dsc, and a .changes and a .buildinfo are no part of a source; the tarballs and diffs decide.
const NOT_COMPARED = /\.(?:dsc|changes|buildinfo)$/;

/** Whether a file tells two sources of one version apart. */
export function isCompared(name: string): boolean {
  return !NOT_COMPARED.test(name);
}

/** The SHA-256 of each file of a publication, by the file's name. */
export async function publishedChecksums(
  ppaClient: PpaClient,
  { self_link }: SourcePublication,
): Promise<ReadonlyMap<string, string>> {
  const files = await ppaClient.sourceFileUrls(self_link);
  return new Map(files.map(({ url, sha256 }) => [fileNameOfUrl(url), sha256]));
}
