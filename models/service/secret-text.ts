import { createHash } from 'node:crypto';

/** A use this soon after the one in the row is not written: else every read would be a write. */
export const USE_STEP_MS = 60_000;

/**
 * What is kept of a text that lets its holder in: of a token or a session.
 *
 * @param text at least 256 random bits: they cannot be guessed from their hash, so it needs neither a salt nor to be
 * slow
 * @returns its SHA-256
 */
export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
