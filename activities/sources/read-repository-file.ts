import { openUrl } from './open-url.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Reads a file of an apt repository.
 *
 * @param limits.signal ends it
 * @param limits.idleTimeoutMs it may bring nothing for so long
 * @returns undefined where the repository has no such file
 * @throws where it cannot be read now, and where it has more than `maxBytes`
 */
export async function readRepositoryFile(
  url: string,
  maxBytes: number,
  limits: { signal: AbortSignal; idleTimeoutMs: number },
): Promise<Buffer | undefined> {
  const answer = await openUrl(url, limits);
  const tooLong = () => new Error(`${url} has more than ${maxBytes} bytes`);
  const content = await readBounded(answer, maxBytes, tooLong);
  if (answer.statusCode === 404) return undefined;
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  return content;
}
