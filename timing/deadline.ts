/**
 * Waits for work for a limited time. The work goes on after it; what comes of it is dropped.
 *
 * @param message of the error when the time is over
 * @throws Error when the time is over
 */
export async function withDeadline<T>(
  work: Promise<T>,
  timeoutMs: number,
  message = `no answer within ${timeoutMs} ms`,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
