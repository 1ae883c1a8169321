import { Readable } from 'node:stream';

/**
 * A stream of chunks that may share memory: it buffers nothing, so that while its reader holds it back it asks for no
 * more. A reader that pipes it into a socket, whose buffer is smaller than a chunk, holds one chunk at a time.
 *
 * The first chunk is asked for before the stream is there, so that a source that cannot be opened says so at once.
 *
 * @throws what the first chunk fails with; later faults come out of the stream
 */
export async function chunkStream(chunks: AsyncGenerator<Buffer, void>): Promise<Readable> {
  const ahead = [await chunks.next()];
  const next = async () => ahead.pop() ?? chunks.next();
  return new Readable({
    highWaterMark: 0,
    read() {
      next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, destroyed) {
      void close(chunks);
      destroyed(error);
    },
  });
}

/** Closes the source as soon as a chunk that is being waited for is there; its fault has no one left to tell. */
async function close(chunks: AsyncGenerator<Buffer, void>): Promise<void> {
  await chunks.return().catch(() => undefined);
}
