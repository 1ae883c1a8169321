import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';

/**
 * Standard output where it is a file or a device, written whole or not at all: what Node has for files takes a short
 * write, as on a disk that is just full, for a whole one.
 *
 * @returns undefined where the descriptor is something else: a terminal, a pipe
 */
export function openFileOutput(descriptor: number): Writable | undefined {
  const kind = fstatSync(descriptor);
  if (!kind.isFile() && (!kind.isCharacterDevice() || isatty(descriptor))) return undefined;
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
