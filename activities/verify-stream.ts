import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { SourceFile } from '../domain/build-source.ts';
import { AirlineError } from '../domain/errors.ts';
import { CHUNK_BYTES } from './open-url.ts';

/**
 * Passes a file through and checks its size and SHA-256. The last chunk is held back until both are right, so that a
 * receiver never gets the whole of a file that has changed since it was checked.
 *
 * @param onBytes called with the size of each chunk that is passed on
 * @throws out of the stream: AirlineError `checksum_mismatch`
 */
export function verifyStream(file: SourceFile, onBytes: (count: number) => void): Transform {
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  let held: Buffer | undefined;
  return new Transform({
    highWaterMark: CHUNK_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > file.sizeBytes)
        return done(changed(file, `more than ${file.sizeBytes} bytes`));
      sha256.update(chunk);
      const ready = held;
      held = chunk;
      if (!ready) return done();
      onBytes(ready.length);
      return done(null, ready);
    },
    flush(done) {
      if (sizeBytes !== file.sizeBytes)
        return done(changed(file, `${sizeBytes} bytes, not ${file.sizeBytes}`));
      const sum = sha256.digest('hex');
      if (sum !== file.sha256) return done(changed(file, `sha256 ${sum}, not ${file.sha256}`));
      if (!held) return done();
      onBytes(held.length);
      return done(null, held);
    },
  });
}

function changed(file: SourceFile, what: string): AirlineError {
  return new AirlineError(
    'checksum_mismatch',
    `${file.url} has changed since it was checked: it has ${what}`,
  );
}
