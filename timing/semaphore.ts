/** Does a work when there is room for it. With a signal that aborts before that, it never begins. */
type InTurn = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Makes a semaphore: it lets so many works run at once, whoever asks; the others wait, in the order in which they came.
 *
 * @returns what does a work in its turn, and gives what comes of it; it rejects with the reason of a signal that aborts
 * while the work waits
 */
export function createSemaphore(maxAtOnce: number): InTurn {
  let free = maxAtOnce;
  const waiting: (() => void)[] = [];
  const turn = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const take = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await turn(signal);
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
