import { hasRoom, type ReadDisk } from '../../sandbox/disk-room.ts';

/** @throws Error where the disk of a folder has not the room that `hasRoom` asks for */
export async function assertDiskHas(
  bytes: number,
  folder: string,
  readDisk?: ReadDisk,
): Promise<void> {
  if (!(await hasRoom(folder, bytes, readDisk)))
    throw new Error(`${folder} has less than ${bytes} bytes left, or too few files for them.`);
}
