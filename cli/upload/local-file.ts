import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';

/** A control file is text of some kilobytes. */
const MAX_CONTROL_BYTES = 1_000_000;

/** A file on this machine that is to be stored. */
export type LocalFile = { name: string; path: string; sizeBytes: number; sha256: string };

/** What is wrong with a file that a control file lists. @param listedIn `.changes` or `.dsc` */
export async function checkFile(
  { path, sizeBytes, sha256 }: LocalFile,
  listedIn: string,
): Promise<string | undefined> {
  const digest = createHash('sha256');
  try {
    const found = await stat(path);
    if (!found.isFile()) return 'it is not a regular file';
    if (found.size !== sizeBytes)
      return `it has ${found.size} bytes, and ${sizeBytes} in the ${listedIn}`;
    for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  } catch (error) {
    return readProblem(error as NodeJS.ErrnoException);
  }
  return digest.digest('hex') === sha256
    ? undefined
    : `its SHA-256 is not the one in the ${listedIn}: it was changed since`;
}

/** Reads a `.changes` or a `.dsc`. */
export async function readControl(path: string): Promise<Buffer | { problem: string }> {
  try {
    const { size } = await stat(path);
    if (size > MAX_CONTROL_BYTES) return { problem: `it is not a control file (${size} bytes)` };
    return await readFile(path);
  } catch (error) {
    return { problem: readProblem(error as NodeJS.ErrnoException) };
  }
}

/** Whether a file or folder is there, and may be used so. @param mode of access(2) */
export function isAccessible(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Why a file cannot be read. */
export function readProblem({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file' : message;
}
