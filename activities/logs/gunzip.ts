import { createGunzip } from 'node:zlib';

// Gunzip keeps what a slice has made until all of it went through: so much is lost at a damage, and so much (at most a
// thousandfold) is held in memory.
const SLICE_BYTES = 1_024;

/**
 * Decompresses a gzip stream and keeps all that comes before a damage; a line at the end then tells of it. (A piped
 * Gunzip drops what nobody has read yet when it meets the damage.)
 *
 * @throws what the input throws
 */
export async function* gunzip(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip();
  const ready: Buffer[] = [];
  const state: { damage?: Error; isOver: boolean } = { isOver: false };
  let wake: (() => void) | undefined;
  stream.on('data', (chunk: Buffer) => ready.push(chunk));
  stream.on('end', () => {
    state.isOver = true;
    wake?.();
  });
  stream.on('error', (error) => {
    state.damage = error;
    state.isOver = true;
    wake?.();
  });
  const step = (act: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (state.isOver) resolve();
      else act(resolve);
    });
  try {
    for await (const chunk of input) {
      for (let at = 0; at < chunk.length && !state.isOver; at += SLICE_BYTES) {
        const slice = chunk.subarray(at, at + SLICE_BYTES);
        await step((done) => stream.write(slice, () => done()));
        yield* ready.splice(0);
      }
      if (state.isOver) break;
    }
    await step(() => void stream.end());
    yield* ready.splice(0);
    if (state.damage)
      yield Buffer.from(
        `\n[airline: the compressed log is damaged here: ${state.damage.message}]\n`,
      );
  } finally {
    stream.destroy();
  }
}
