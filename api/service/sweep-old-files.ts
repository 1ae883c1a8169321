import { posix } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../models/database.ts';
import {
  endedBefore,
  type FileOwner,
  firstUnderTest,
  type NamedFiles,
  newlyWantedSources,
  sourcesOfChangedTickets,
  takeFileSweep,
  wantedFiles,
} from '../../models/service/old-files.ts';
import { readClock } from '../../models/sql/database-time.ts';
import { type DataStore, StoreUnavailableError, UPLOADS } from '../../store/store.ts';
import { startPollingLoop } from '../../timing/polling-loop.ts';

const POLL_MS = 3_600_000;
const SWEEP_EVERY_MS = 86_400_000;
/** Keys in memory at a time. */
const BATCH = 10_000;
/** Folders whose files belong to a row, by its id: `builds/7/…`. */
const FOLDERS: readonly { folder: string; owner: FileOwner }[] = [
  { folder: 'builds/', owner: 'build' },
  { folder: 'landings/', owner: 'landing' },
  { folder: 'tests/', owner: 'test_run' },
];
const IMAGES = 'images/';
/** Where the indexes of archives are, each of the day that base images were made on. */
const INDEXES = 'archive-indexes/';
/**
 * A landing begins its tests with a base image that is up to a day old. The index of its archive is older by the time
 * that the image took; and clocks differ.
 */
const BEFORE_TESTS_MS = 2 * 86_400_000;
/** Clocks differ, and what a request writes is seen only when it is committed. */
const UNSEEN_MS = 600_000;
/** What is dear to ask for is asked for so often. */
const LOOK_EVERY_MS = 5_000;
/** Files that are not removed, of which the log says why. */
const MAX_FAULTS = 10;
const OWNER_ID = /^[a-z]+\/([1-9]\d{0,8})\//;

type FileSweep = {
  database: Database;
  store: DataStore;
  keepFilesMs: number;
  /** The time that passes, in milliseconds. */
  clockMs?: () => number;
};

/**
 * Removes old files from the data store, once a day. What a stopped sweep has left comes the next day.
 *
 * @param options.keepFilesMs how long files stay; 0: for ever
 * @returns `stop` ends the sweep in hand, between two files
 */
export function startFileSweep({ logger, ...sweep }: FileSweep & { logger: Logger }): {
  stop: () => Promise<void>;
} {
  const loop = startPollingLoop({
    intervalMs: POLL_MS,
    async poll(signal) {
      // What is gone is gone for good, and the clock of one machine may be wrong by years.
      const now = await readClock(sweep.database.sequelize);
      const removed = await sweepOldFiles(sweep, new Date(now()), signal);
      if (removed) logger.info({ removed }, 'removed old files from the data store');
    },
    onError: (error) => logger.warn({ err: error }, 'could not remove old files; tomorrow again'),
  });
  return { stop: loop.stop };
}

/**
 * Removes the files of builds, landings and runs of tests that ended long ago; sources and images that were stored long
 * ago and that neither a build, a landing nor a ticket has named for as long; and old indexes of archives. All
 * processes share the turns, one a day. A file that cannot be removed keeps no other; nor does a folder of whose files
 * the database or the store could not tell which are old.
 *
 * @param now by the database's clock, which all processes share
 * @returns how many files went; null where it is no turn
 * @throws StoreUnavailableError; AggregateError where some files or folders were left, once the others are gone
 */
export async function sweepOldFiles(
  { database: { sequelize }, store, keepFilesMs, clockMs = () => performance.now() }: FileSweep,
  now: Date,
  signal: AbortSignal,
): Promise<number | null> {
  if (keepFilesMs === 0 || !(await takeFileSweep(sequelize, now, SWEEP_EVERY_MS))) return null;
  const before = new Date(now.getTime() - keepFilesMs);
  let removed = 0;
  let left = 0;
  const faults: unknown[] = [];
  const remove = async (keys: readonly string[]) => {
    for (const key of keys) {
      if (signal.aborted) return;
      try {
        await store.remove(key);
        removed += 1;
      } catch (error) {
        // No other would go either.
        if (error instanceof StoreUnavailableError) throw error;
        left += 1;
        if (faults.length < MAX_FAULTS) faults.push(error);
      }
    }
  };
  const removeEnded = async (folder: string, owner: FileOwner) => {
    for await (const keys of oldKeys(store, folder, before, signal)) {
      const ids = new Set(keys.map(ownerOf).filter((id) => id !== undefined));
      const ended = await endedBefore(sequelize, owner, [...ids], before);
      await remove(keys.filter((key) => ended.has(ownerOf(key) ?? 0)));
    }
  };
  const removeUnnamed = async (folder: string, files: NamedFiles, storedBefore: Date) => {
    for await (const keys of oldKeys(store, folder, storedBefore, signal)) {
      // Rows name some files of a source package, or an image; the others lie beside them.
      const unwanted = byFolder(keys);
      const keep = (urls: readonly string[]) => {
        for (const url of urls) unwanted.delete(posix.dirname(store.keyOf(url) ?? ''));
      };
      const since = new Date(now.getTime() - UNSEEN_MS);
      let lookedAtMs = clockMs();
      for await (const urls of wantedFiles(sequelize, files, before)) keep(urls);
      for (const [each, old] of unwanted) {
        if (signal.aborted) break;
        // Those before it may have taken minutes, in which these were named or stored again.
        keep(await newlyWantedSources(sequelize, since, before));
        if (clockMs() - lookedAtMs >= LOOK_EVERY_MS) {
          keep(await sourcesOfChangedTickets(sequelize, since));
          lookedAtMs = clockMs();
        }
        if (unwanted.has(each) && !(await hasYoung(store, each, storedBefore))) await remove(old);
      }
    }
  };
  const unusedSince = async () => {
    const underTestSince = (await firstUnderTest(sequelize)) ?? now;
    const inUseSinceMs = Math.min(underTestSince.getTime(), now.getTime()) - BEFORE_TESTS_MS;
    return new Date(Math.min(before.getTime(), inUseSinceMs));
  };
  const removeIndexes = async (storedBefore: Date) => {
    for await (const keys of oldKeys(store, INDEXES, storedBefore, signal)) await remove(keys);
  };
  const parts: { folder: string; run: () => Promise<void> }[] = [
    ...FOLDERS.map(({ folder, owner }) => ({ folder, run: () => removeEnded(folder, owner) })),
    { folder: UPLOADS, run: () => removeUnnamed(UPLOADS, 'sources', before) },
    { folder: IMAGES, run: async () => removeUnnamed(IMAGES, 'images', await unusedSince()) },
    { folder: INDEXES, run: async () => removeIndexes(await unusedSince()) },
  ];
  const unfinished: string[] = [];
  for (const { folder, run } of parts)
    try {
      await run();
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      unfinished.push(folder);
      faults.push(error);
    }
  const told = [
    ...(left > 0 ? [`${left} old files could not be removed`] : []),
    ...(unfinished.length > 0 ? [`old files are left in ${unfinished.join(', ')}`] : []),
  ];
  if (told.length > 0) throw new AggregateError(faults, told.join('; '));
  return removed;
}

async function* oldKeys(store: DataStore, folder: string, before: Date, signal: AbortSignal) {
  let keys: string[] = [];
  for await (const { key, storedAt } of store.list(folder)) {
    if (signal.aborted) return;
    if (storedAt < before) keys.push(key);
    if (keys.length === BATCH) {
      yield keys;
      keys = [];
    }
  }
  if (keys.length > 0) yield keys;
}

function byFolder(keys: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const key of keys) {
    const folder = posix.dirname(key);
    const found = folders.get(folder);
    if (found) found.push(key);
    else folders.set(folder, [key]);
  }
  return folders;
}

/** Whether a file of a folder was stored since a time. */
async function hasYoung(store: DataStore, folder: string, since: Date): Promise<boolean> {
  for await (const { key, storedAt } of store.list(`${folder}/`))
    if (posix.dirname(key) === folder && storedAt >= since) return true;
  return false;
}

function ownerOf(key: string): number | undefined {
  const id = OWNER_ID.exec(key)?.[1];
  return id === undefined ? undefined : Number(id);
}
