import { readdir } from 'node:fs/promises';

/** Names of what a folder holds; none where there is no such folder. */
export async function readFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
