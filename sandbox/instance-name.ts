import { createHash } from 'node:crypto';

/**
 * A short name of a tester or local PPA, for what is its own beside that of others on the same machine.
 *
 * @param instance any text that tells it apart from these
 */
export function instanceName(instance: string): string {
  return createHash('sha256').update(instance).digest('hex').slice(0, 12);
}
