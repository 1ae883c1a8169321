import { statfs } from 'node:fs/promises';

/** Tells of the disk that has a folder what statfs(2) does. */
export type ReadDisk = (
  folder: string,
) => Promise<{ bavail: number; bsize: number; files: number; ffree: number }>;

/** A disk without a free inode takes no file, however many bytes it has left. ext4 has one for each 16 KiB. */
const BYTES_OF_FILE = 65_536;
const LOOK_MS = 1_000;

/** Whether the disk that has a folder takes so many bytes more, and a file for each 64 KiB of them. */
export async function hasRoom(
  folder: string,
  bytes: number,
  readDisk: ReadDisk = statfs,
): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await readDisk(folder);
  // btrfs makes as many files as there are bytes for, and counts none.
  return bavail * bsize >= bytes && (files === 0 || ffree >= bytes / BYTES_OF_FILE);
}

/**
 * Looks each second whether a disk has the room that `hasRoom` asks for.
 *
 * @returns `isGone` aborts once it has not; `stop` ends the watch
 */
export function watchRoom(
  folder: string,
  bytes: number,
  readDisk?: ReadDisk,
): { isGone: AbortSignal; stop: () => void } {
  const gone = new AbortController();
  const look = async () => {
    if (!(await hasRoom(folder, bytes, readDisk))) gone.abort();
  };
  // A look that fails says nothing; the next one may.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return { isGone: gone.signal, stop: () => clearInterval(timer) };
}
