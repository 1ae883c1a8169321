import { once } from 'node:events';
import { printable } from '../../domain/text/printable.ts';
import type { CommandContext } from '../command-context.ts';

/**
 * Prints a log of the data store. It comes from strangers: a terminal gets its text made safe, a pipe its bytes.
 *
 * @param title a line on standard error before it, where several are printed
 */
export async function printLog(
  { api, out, environment }: CommandContext,
  url: string,
  title?: string,
): Promise<void> {
  const { bytes } = await api.stream(url);
  if (title !== undefined) out.notice(title);
  // A pipeline into a stream that goes on leaves a listener there for each log.
  for await (const part of out.isTerminal ? printableText(bytes) : bytes)
    if (!environment.stdout.write(part)) await once(environment.stdout, 'drain');
}

/** The text of a log, printable, each line end one line feed. */
async function* printableText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const part of bytes) {
    const text = held + decoder.decode(part, { stream: true });
    // The line feed of a carriage return may be the first character of the next part.
    held = text.endsWith('\r') ? '\r' : '';
    yield printableLines(held === '' ? text : text.slice(0, -1));
  }
  yield printableLines(held + decoder.decode());
}

const printableLines = (text: string) => printable(text.replaceAll('\r\n', '\n'));
