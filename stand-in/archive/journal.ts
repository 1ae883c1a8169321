import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** An append-only file of transactions, one JSON document a line. */
export type Journal = {
  /** Writes one transaction and returns when it is on the disk. */
  append(entry: unknown): void;
  close(): void;
};

/**
 * The transactions of a journal in their order. A last line that a crash has cut off does not count.
 *
 * @throws where a line other than the last is damaged
 */
export function readJournal(path: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const lines = text.split('\n');
  // What follows the last line feed was cut: a whole transaction ends with one.
  lines.pop();
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as unknown;
    } catch (cause) {
      throw new Error(`${path}: line ${index + 1} is damaged`, { cause });
    }
  });
}

/**
 * Replaces the journal at once by the given transactions and opens it for more. Synchronous on purpose: a
 * transaction is read, decided and written without another one in between.
 */
export function startJournal(path: string, entries: Iterable<unknown>): Journal {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  const file = openSync(fresh, 'w');
  let sizeBytes = 0;
  const write = (entry: unknown) => {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    // By position: what is cut off after a write that failed does not move the file's own.
    for (let sent = 0; sent < line.length;)
      sent += writeSync(file, line, sent, line.length - sent, sizeBytes + sent);
    sizeBytes += line.length;
  };
  for (const entry of entries) write(entry);
  fsyncSync(file);
  renameSync(fresh, path);
  syncDirectory(dirname(path));
  return {
    append(entry) {
      const before = sizeBytes;
      try {
        write(entry);
        fdatasyncSync(file);
      } catch (error) {
        // Half a line in the middle of the file would make the whole journal unreadable.
        ftruncateSync(file, before);
        sizeBytes = before;
        throw error;
      }
    },
    close: () => closeSync(file),
  };
}

/** Makes renames and new names in a folder durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
