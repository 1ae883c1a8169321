import { createHash } from 'node:crypto';

/**
 * A name of a tester, for its own folders beside those of other testers with the same cache.
 *
 * @param instance any text that tells it apart from these
 */
export function instanceName(instance: string): string {
  return createHash('sha256').update(instance).digest('hex').slice(0, 12);
}
