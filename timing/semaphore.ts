/** Does a work when there is room for it. With a signal that aborts before that, it never begins. */
type InTurn = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** So many of something, which whoever asks takes and gives back. */
export type Permits = {
  /** Takes one, in the order of those who ask. It rejects with the reason of a signal that aborts before that. */
  take: (signal?: AbortSignal) => Promise<void>;
  giveBack: () => void;
};

/** Makes permits, of which so many may be taken at once. */
export function createPermits(count: number): Permits {
  let free = count;
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
  return {
    take(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason as Error);
      if (free === 0) return turn(signal);
      free -= 1;
      return Promise.resolve();
    },
    giveBack() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}

/**
 * Makes a semaphore: it lets so many works run at once, whoever asks; the others wait, in the order in which they came.
 *
 * @returns what does a work in its turn, and gives what comes of it; it rejects with the reason of a signal that aborts
 * while the work waits
 */
export function createSemaphore(maxAtOnce: number): InTurn {
  const permits = createPermits(maxAtOnce);
  return async (work, signal) => {
    await permits.take(signal);
    try {
      return await work();
    } finally {
      permits.giveBack();
    }
  };
}
