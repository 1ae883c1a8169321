import type { Writable } from 'node:stream';
import { printableLine } from '../../domain/text/printable.ts';
import { cutToWidth } from './table.ts';
import { DEFAULT_COLUMNS } from './terminal-width.ts';

const EVERY_MS = 1_000;
const ERASE = '\r\u001B[K';

/** A last line of the terminal that is written anew each second, so that a quiet wait is seen to go on. */
export type LiveLine = {
  /** What the line says from the next second on; undefined: there is none. */
  readonly set: (text: (() => string) | undefined) => void;
  /** To be called before anything else is written. */
  readonly erase: () => void;
};

/**
 * Makes the live line of a stream. It holds no process.
 *
 * @param isOn false where nobody watches: nothing is ever written then
 */
export function createLiveLine(
  stream: Writable & { readonly columns?: number },
  isOn: boolean,
): LiveLine {
  let timer: NodeJS.Timeout | undefined;
  let isShown = false;
  const erase = () => {
    if (isShown) stream.write(ERASE);
    isShown = false;
  };
  return {
    erase,
    set: (text) => {
      clearInterval(timer);
      erase();
      if (!isOn || text === undefined) return;
      timer = setInterval(() => {
        // A line of the whole width would go on in the next one.
        const width = (stream.columns || DEFAULT_COLUMNS) - 1;
        stream.write(ERASE + cutToWidth(printableLine(text()), width));
        isShown = true;
      }, EVERY_MS).unref();
    },
  };
}
