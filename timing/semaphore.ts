/**
 * Makes a semaphore: it lets so many works run at once, whoever asks; the others wait, in the order in which they came.
 *
 * @returns what does a work when there is room for it, and gives what comes of it
 */
export function createSemaphore(maxAtOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = maxAtOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((take) => waiting.push(take));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
