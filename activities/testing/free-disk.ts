import { statfs } from 'node:fs/promises';

/** @throws Error where the disk of a folder has less than so many bytes left */
export async function assertDiskHas(bytes: number, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes) throw new Error(`${folder} has less than ${bytes} bytes left.`);
}
