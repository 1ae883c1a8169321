import { printable } from '../../domain/text/printable.ts';

/** Colours and the like (ECMA-48, SGR): they carry nothing, and most logs with escape characters have only these. */
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[[0-9;:]{0,64}m/g;
// oxlint-disable-next-line no-control-regex
const CUT_COLOUR = /\u001B(?:\[[0-9;:]{0,64})?$/;

/**
 * The text of a log from a stranger, made safe to store, to serve and to print on a terminal. This is the one place
 * where that is done:
 *
 * - bytes that are no UTF-8 become U+FFFD;
 * - colours go; every other character that would act on its reader, escape characters, lone carriage returns and
 *   overrides of text direction among them, is replaced by a visible one (`printable`);
 * - the ends of lines stay, without a carriage return before them: line 7 is line 7 of what came.
 *
 * The API serves the stored text as `text/plain; charset=utf-8`, with `nosniff` and a Content-Security-Policy that
 * lets nothing run (api/service/store-routes.ts).
 *
 * @param input the bytes in any pieces; memory is bounded by the largest
 */
export async function* safeText(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const text = makeSafe();
  for await (const chunk of input) {
    const safe = text.next(chunk);
    if (safe.length > 0) yield safe;
  }
  const rest = text.rest();
  if (rest.length > 0) yield rest;
}

/** Makes one log safe as `safeText` does, piece by piece. What a piece lacks at its end, the next or the rest has. */
export function makeSafe(): { next: (chunk: Buffer) => Buffer; rest: () => Buffer } {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  return {
    next(chunk) {
      const text = held + decoder.decode(chunk, { stream: true });
      // The end of a piece may continue in the next one: the end of a line, or a colour.
      const cut = text.endsWith('\r') ? text.length - 1 : text.search(CUT_COLOUR);
      const whole = cut < 0 ? text : text.slice(0, cut);
      held = text.slice(whole.length);
      return Buffer.from(safeLines(whole));
    },
    rest: () => Buffer.from(safeLines(held + decoder.decode())),
  };
}

/** At most so many bytes of a text in UTF-8, and no character in part. */
export function wholeCharacters(text: Buffer, maxBytes: number): Buffer {
  let end = maxBytes;
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return text.subarray(0, end);
}

/** Whole lines of a log, as `safeText` makes them. */
export function safeLines(text: string): string {
  const plain = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  return printable(plain.includes('\u001B') ? plain.replace(COLOURS, '') : plain);
}
