import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';

/** Gives a file its name once its content is on the disk: after a power cut, what has the name is whole. */
export function renameWhole(from: string, to: string): void {
  const file = openSync(from, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(from, to);
}
