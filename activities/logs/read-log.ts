import type { Readable } from 'node:stream';
import { gunzip } from './gunzip.ts';
import { safeText, wholeCharacters } from './safe-text.ts';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** More came in than the text may have, which a stream of empty gzip members could do for ever. */
class LongInputError extends Error {
  override readonly name = 'LongInputError';
}

/**
 * The text of a log, decompressed where its first bytes are those of gzip, whatever its name or headers say, and made
 * safe (`safeText`). It ends
 * after `maxBytes` with a line that says so; a damaged gzip gives what can be read and a line about the damage.
 *
 * @throws what the input throws, such as where its connection breaks off
 */
export async function* readLog(input: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let room = maxBytes;
  const cut = Buffer.from(`\n[airline: the log is longer; it is cut after ${maxBytes} bytes]\n`);
  try {
    for await (const chunk of safeText(text(bounded(input, maxBytes)))) {
      yield room < chunk.length ? wholeCharacters(chunk, room) : chunk;
      room -= chunk.length;
      if (room >= 0) continue;
      yield cut;
      return;
    }
  } catch (error) {
    if (!(error instanceof LongInputError)) throw error;
    yield cut;
  } finally {
    input.destroy();
  }
}

async function* bounded(input: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let room = maxBytes;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    yield chunk;
    room -= chunk.length;
    // Text of just this length still comes through; the reader sees that it is longer by the next chunk.
    if (room < 0) throw new LongInputError(`more than ${maxBytes} bytes came`);
  }
}

async function* text(input: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  while (start.length < GZIP_MAGIC.length) {
    const next = await input.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* whole() {
    if (start.length > 0) yield start;
    yield* input;
  }
  const isGzip = start.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
  yield* isGzip ? gunzip(whole()) : whole();
}
