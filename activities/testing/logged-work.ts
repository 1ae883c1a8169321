import type { TestingDependencies } from './dependencies.ts';
import { ImageProblem, imageProblemOf } from './test-machine.ts';

/** What is kept of the end of an output, for the message of a failure. */
const TAIL_BYTES = 2_000;

/**
 * Does work whose output is wanted only where it fails: its end is then part of the message.
 *
 * @param what named in the log
 * @throws ImageProblem with the end of the output
 */
export async function loggedWork<T>(
  { logger }: Pick<TestingDependencies, 'logger'>,
  what: string,
  work: (onOutput: (chunk: Buffer) => void) => Promise<T>,
): Promise<T> {
  const startedAt = Date.now();
  let tail = Buffer.alloc(0);
  try {
    const result = await work((chunk) => {
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
    });
    logger.info({ what, elapsedMs: Date.now() - startedAt }, 'made an image');
    return result;
  } catch (error) {
    const problem = imageProblemOf(error);
    if (!problem) throw error;
    const said = tail.toString('utf8').trim();
    const { message, isUninstallable } = problem;
    throw new ImageProblem(`${message}${said ? `\n${said}` : ''}`, {
      cause: error,
      isUninstallable,
    });
  }
}
