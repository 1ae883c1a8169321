import { closeSync, constants, openSync, readFileSync } from 'node:fs';

/**
 * Reads a file in a folder that is an account's own: never what a link leads to, which only we may read.
 *
 * @throws Error where a link or nothing is there
 */
export function readOwnFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
