/**
 * The lines of a text that comes in parts, without their line feeds. What follows the last one is a line if there is
 * any.
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const part of bytes) {
    const lines = (held + decoder.decode(part, { stream: true })).split('\n');
    held = lines.pop() ?? '';
    yield* lines;
  }
  held += decoder.decode();
  if (held !== '') yield held;
}
