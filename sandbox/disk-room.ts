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
 * Looks each second whether a disk has the room that `hasRoom` asks for. It asks a disk that hangs no more than once.
 *
 * @returns `isGone` aborts once it has not; `stop` ends the watch
 */
export function watchRoom(
  folder: string,
  bytes: number,
  readDisk?: ReadDisk,
): { isGone: AbortSignal; stop: () => void } {
  const gone = new AbortController();
  let isLooking = false;
  const look = async () => {
    // Each one keeps a thread of this process, which has few, until the disk answers.
    if (isLooking) return;
    isLooking = true;
    try {
      if (!(await hasRoom(folder, bytes, readDisk))) gone.abort();
    } catch {
      // It says nothing; the next one may.
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return { isGone: gone.signal, stop: () => clearInterval(timer) };
}
