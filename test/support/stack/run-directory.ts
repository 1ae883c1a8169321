import { chmodSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canAccess, unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';

/**
 * A new directory for a stack's state, which the user that builds can reach: not below a TMPDIR that is root's alone.
 *
 * @param prefix what its name begins with
 * @param preferred where it is to be, if that user can reach it
 */
export function makeRunDirectory(prefix: string, preferred = tmpdir()): string {
  const account = unprivilegedUser(() => undefined);
  const parent = [preferred, tmpdir(), '/tmp', '/var/tmp']
    .filter(existsSync)
    .find((path) => canAccess(account, 'x', path));
  const made = mkdtempSync(join(parent ?? tmpdir(), prefix));
  chmodSync(made, 0o755);
  return made;
}
