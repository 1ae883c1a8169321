import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';

/** A log that grows past this is moved aside, so that a part takes at most twice as much. */
const MAX_LOG_BYTES = 64 * 2 ** 20;
const TAIL_BYTES = 16 * 1024;

/** Opens a part's log for appending; the log of the run before becomes `<path>.1`. */
export function openLog(path: string): number {
  if (existsSync(path)) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o640);
}

/** Moves the content of a log that has grown too large to `<path>.1`; its writers append to the emptied file. */
export function boundLog(path: string, maxBytes = MAX_LOG_BYTES): void {
  if (!existsSync(path) || statSync(path).size <= maxBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

/** The last lines of a log. */
export function lastLines(path: string, count: number): string[] {
  if (!existsSync(path)) return [];
  return readFrom(path, Math.max(0, statSync(path).size - TAIL_BYTES))
    .text.split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count);
}

/**
 * Hands over the lines that a log gains, whole ones only.
 *
 * @param onFault is told why the log cannot be read, once until it can again
 * @returns a function that reads what is left and ends
 */
export function followLog(
  path: string,
  onLine: (line: string) => void,
  onFault: (error: Error) => void,
  intervalMs = 250,
): () => void {
  let offset = 0;
  let partial = '';
  let hasFailed = false;
  const readOn = () => {
    if (!existsSync(path)) return;
    if (statSync(path).size < offset) offset = 0;
    const { text, end } = readFrom(path, offset);
    offset = end;
    const lines = (partial + text).split('\n');
    partial = (lines.pop() ?? '').slice(-TAIL_BYTES);
    lines.forEach(onLine);
  };
  // A fault must not leave the timer: nobody catches it there, and the process ends.
  const poll = () => {
    try {
      readOn();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFault(error as Error);
      hasFailed = true;
    }
  };
  const timer = setInterval(poll, intervalMs);
  return () => {
    clearInterval(timer);
    poll();
  };
}

function readFrom(path: string, offset: number): { text: string; end: number } {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(Math.max(0, fstatSync(file).size - offset), 2 ** 20));
    const sizeBytes = readSync(file, buffer, 0, buffer.length, offset);
    return { text: buffer.toString('utf8', 0, sizeBytes), end: offset + sizeBytes };
  } finally {
    closeSync(file);
  }
}
