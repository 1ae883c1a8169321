import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startPollingLoop } from '../../timing/polling-loop.ts';
import { makeSafe, wholeCharacters } from '../logs/safe-text.ts';
import type { TestingDependencies } from './dependencies.ts';

const LIVE_MS = 5_000;
const CHUNK_BYTES = 2 ** 16;

/** The log of a run while it grows. */
export type TestLog = {
  /** The folder of the run, which has the log's file. */
  directory: string;
  write: (chunk: Buffer) => void;
  /** How long it is. */
  bytes: () => number;
  /** Puts all of it into the data store. Safe to call again, also where that has failed. */
  close: () => Promise<void>;
  /** Ends it as it is, unless it is closed: another tester may have the run by now, and its log in the data store. */
  abandon: () => Promise<void>;
};

/**
 * Opens the log of a run. What there is of it is in the data store at once and every five seconds, so that others can
 * watch. What tests print is made safe first (`safeText`). It is cut off where it is too long, and says so.
 *
 * @throws the error of the data store where it takes no log; nothing of it is left then
 */
export async function openTestLog(
  {
    machine,
    store,
    logger,
    limits,
  }: Pick<TestingDependencies, 'machine' | 'store' | 'logger' | 'limits'>,
  key: string,
): Promise<TestLog> {
  const directory = await machine.makeFolder();
  const path = join(directory, '.log');
  const file = await open(path, 'wx', 0o600);
  // Before any test runs: one may put another file in its place.
  const reading = await open(path, 'r');
  const stream = file.createWriteStream();
  // What cannot be written is missing in the log, and the run goes on.
  stream.on('error', (error) => logger.warn({ err: error }, 'a log of tests could not be written'));
  let bytes = 0;
  let storedBytes = -1;
  let ending: Promise<void> | undefined;
  const keep = async () => {
    if (storedBytes === bytes) return;
    const upTo = bytes;
    const written = Readable.from(contentOf(reading));
    try {
      await store.put(key, written);
    } finally {
      // A store that is away may not have read it.
      written.destroy();
    }
    storedBytes = upTo;
  };
  try {
    await keep();
  } catch (error) {
    // Nobody else knows of them yet.
    stream.destroy();
    await reading.close();
    await machine.removeFolder(directory);
    throw error;
  }
  const live = startPollingLoop({
    intervalMs: LIVE_MS,
    poll: keep,
    onError: (error) => logger.warn({ err: error }, 'a log of tests could not be kept'),
  });
  const text = makeSafe();
  const append = (safe: Buffer) => {
    const room = limits.logMaxBytes - bytes;
    bytes += safe.length;
    stream.write(safe.length < room ? safe : wholeCharacters(safe, room));
    if (safe.length >= room) stream.write('\nairline: the log is cut off here.\n');
  };
  const isFull = () => bytes >= limits.logMaxBytes;
  const end = async () => {
    if (!isFull()) append(text.rest());
    await live.stop();
    await new Promise((resolve) => stream.end(resolve));
    // What was stored last may lack what was still to be written.
    storedBytes = -1;
  };
  return {
    directory,
    bytes: () => bytes,
    write(chunk) {
      if (!ending && !isFull()) append(text.next(chunk));
    },
    async close() {
      await (ending ??= end());
      await keep();
      await reading.close();
    },
    async abandon() {
      await (ending ??= end());
      await reading.close();
    },
  };
}

/** What a file has, from its beginning to where it ends by then. */
async function* contentOf(file: FileHandle): AsyncGenerator<Buffer, void> {
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.allocUnsafe(CHUNK_BYTES),
      position,
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
