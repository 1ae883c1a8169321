import { StringDecoder } from 'node:string_decoder';
import { RootCauseFinder, type CauseInLog } from '../../diagnosis/finder.ts';

/** Of a longer line, only the start is read. */
const LINE_CHARACTERS = 4_096;

/** Looks for the root cause in a log that comes in chunks. */
export type LogScanner = {
  write(chunk: Buffer): void;
  /** The root cause in all that was written; undefined where the log names none. */
  end(): CauseInLog | undefined;
};

/** Splits a log into lines for the rules; it holds the start of one line, however long that is. */
export function createLogScanner(): LogScanner {
  const finder = new RootCauseFinder();
  const decoder = new StringDecoder('utf8');
  let started = '';

  const keep = (part: string) => {
    if (started.length < LINE_CHARACTERS)
      started += part.slice(0, LINE_CHARACTERS - started.length);
  };
  const write = (text: string) => {
    let from = 0;
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      if (started === '') {
        finder.take(text.slice(from, Math.min(to, from + LINE_CHARACTERS)));
      } else {
        keep(text.slice(from, to));
        finder.take(started);
        started = '';
      }
      from = to + 1;
    }
    if (from < text.length) keep(text.slice(from, from + LINE_CHARACTERS));
  };
  return {
    write: (chunk) => write(decoder.write(chunk)),
    end() {
      write(decoder.end());
      if (started !== '') finder.take(started);
      return finder.found();
    },
  };
}
