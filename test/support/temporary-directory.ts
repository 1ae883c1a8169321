import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new directory that other users can pass through, as the parts that do not run as root must. The
 * test run removes it at its end, however that comes; a test with large files removes it itself.
 */
export function temporaryDirectory(): string {
  const made = mkdtempSync(join(tmpdir(), 'airline-'));
  chmodSync(made, 0o755);
  return made;
}
