import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

/**
 * A stream that passes on what comes, and measures it.
 *
 * @param highWaterMark bytes that it holds
 * @returns `content` says how many bytes have come, and their SHA-256 in hexadecimal digits; once, at the end
 */
export function measuredStream(highWaterMark?: number): {
  measured: Transform;
  content: () => { sizeBytes: number; sha256: string };
} {
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  const measured = new Transform({
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    transform(chunk: Buffer, _encoding, done) {
      sha256.update(chunk);
      sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  return { measured, content: () => ({ sizeBytes, sha256: sha256.digest('hex') }) };
}
