import { createHash } from 'node:crypto';
import { AirlineError } from '../../domain/errors.ts';
import { CONTROL_FILE_MAX_BYTES } from '../../domain/packages/control-file.ts';
import { shownUrl } from '../../domain/access/source-url.ts';
import { openSource, tooLarge, type SourceOrigin } from './open-source.ts';

/** What a file turned out to be. */
export type SourceReading = {
  sizeBytes: number;
  md5: string;
  sha1: string;
  sha256: string;
  /** As in `SourceFile`. */
  storeVersion: string | undefined;
  /** Set where it was asked for. */
  content: Buffer | undefined;
};

/**
 * Reads a file of a source package once through, and keeps its checksums. Its content is kept only where asked, and
 * then bounded. A server that brings it a byte at a time has `sources.fileMs` for all of it.
 *
 * @param onBytes called with the size of each chunk
 * @throws as openSource; AirlineError `malformed_control_file` where content to keep is too long
 */
export async function readSource(
  url: string,
  origin: SourceOrigin,
  {
    signal,
    onBytes,
    keepContent = false,
  }: { signal: AbortSignal; onBytes: (count: number) => void; keepContent?: boolean },
): Promise<SourceReading> {
  const { maxBytes, fileMs } = origin.sources;
  const deadline = AbortSignal.timeout(fileMs);
  const inTime = AbortSignal.any([signal, deadline]);
  const late = () => new Error(`${shownUrl(url)} was not read within ${fileMs} ms`);
  const { chunks, storeVersion } = await openSource(url, origin, inTime).catch((error: unknown) => {
    throw deadline.aborted ? late() : error;
  });
  const hashes = [createHash('md5'), createHash('sha1'), createHash('sha256')] as const;
  const kept: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      onBytes(chunk.length);
      if (sizeBytes > maxBytes) throw tooLarge(url, maxBytes);
      if (keepContent && sizeBytes > CONTROL_FILE_MAX_BYTES)
        throw new AirlineError(
          'malformed_control_file',
          `${shownUrl(url)} is longer than ${CONTROL_FILE_MAX_BYTES} bytes`,
        );
      for (const hash of hashes) hash.update(chunk);
      if (keepContent) kept.push(Buffer.from(chunk));
    }
  } catch (error) {
    if (error instanceof AirlineError) throw error;
    if (deadline.aborted) throw late();
    throw new Error(`${shownUrl(url)} broke off after ${sizeBytes} bytes`, { cause: error });
  }
  const [md5, sha1, sha256] = hashes;
  return {
    sizeBytes,
    md5: md5.digest('hex'),
    sha1: sha1.digest('hex'),
    sha256: sha256.digest('hex'),
    storeVersion,
    content: keepContent ? Buffer.concat(kept) : undefined,
  };
}
