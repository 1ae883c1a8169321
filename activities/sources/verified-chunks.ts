import { createHash } from 'node:crypto';
import type { SourceFile } from '../../domain/packages/source-file.ts';
import { AirlineError } from '../../domain/errors.ts';
import { shownUrl } from '../../domain/access/source-url.ts';

/**
 * Passes the chunks of a file on and checks its size and SHA-256. The last chunk is held back until both are right, so
 * that a receiver never gets the whole of a file that has changed since it was checked.
 *
 * @param chunks each good until the next but one is asked for, as are those that it gives
 * @param onBytes called with the size of each chunk that is passed on
 * @throws AirlineError `checksum_mismatch`
 */
export async function* verifiedChunks(
  file: SourceFile,
  chunks: AsyncIterable<Buffer>,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer, void> {
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > file.sizeBytes) throw changed(file, `more than ${file.sizeBytes} bytes`);
    sha256.update(chunk);
    if (held) {
      onBytes(held.length);
      yield held;
    }
    held = chunk;
  }
  if (sizeBytes !== file.sizeBytes)
    throw changed(file, `${sizeBytes} bytes, not ${file.sizeBytes}`);
  const sum = sha256.digest('hex');
  if (sum !== file.sha256) throw changed(file, `sha256 ${sum}, not ${file.sha256}`);
  if (!held) return;
  onBytes(held.length);
  yield held;
}

function changed(file: SourceFile, what: string): AirlineError {
  return new AirlineError(
    'checksum_mismatch',
    `${shownUrl(file.url)} has changed since it was checked: it has ${what}`,
  );
}
