import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RootCauseFinder, type CauseInLog } from '../../diagnosis/finder.ts';

/** Of a longer line, only the start is read. */
const LINE_CHARACTERS = 4_096;
/** After so long, others have their turn: one line takes a millisecond or two at most. */
const SLICE_MS = 20;
/** What real logs take is far less for the largest; one whose lines were made to be slow would take minutes. */
const BUDGET_MS = 30_000;

/** Looks for the root cause in a log that comes in chunks. */
export type LogScanner = {
  /** @throws Error where the log has taken more time than any gets */
  write(chunk: Buffer): Promise<void>;
  /** The root cause in all that was written; undefined where the log names none. */
  end(): Promise<CauseInLog | undefined>;
};

/**
 * Splits a log into lines for the rules; it holds the start of one line, however long that is. Strangers write logs:
 * the event loop is held for a moment at a time, and a log gets so much time in all.
 *
 * @param options.now milliseconds
 */
export function createLogScanner({ now = () => performance.now() } = {}): LogScanner {
  const finder = new RootCauseFinder();
  const decoder = new StringDecoder('utf8');
  let started = '';
  let spentMs = 0;

  const keep = (part: string) => {
    if (started.length < LINE_CHARACTERS)
      started += part.slice(0, LINE_CHARACTERS - started.length);
  };
  const write = async (text: string) => {
    let sliceAtMs = now();
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
      if (now() - sliceAtMs < SLICE_MS) continue;
      spend(now() - sliceAtMs);
      await nextTurn();
      sliceAtMs = now();
    }
    if (from < text.length) keep(text.slice(from, from + LINE_CHARACTERS));
    spend(now() - sliceAtMs);
  };
  const spend = (ms: number) => {
    spentMs += ms;
    if (spentMs > BUDGET_MS)
      throw new Error(`its lines took more than ${BUDGET_MS / 1_000} s to look at`);
  };
  return {
    write: (chunk) => write(decoder.write(chunk)),
    async end() {
      await write(decoder.end());
      if (started !== '') finder.take(started);
      return finder.found();
    },
  };
}
