/**
 * Exponential back-off.
 *
 * @param failures failures in a row, at least 1
 * @param firstMs wait after the first; each further one doubles it
 * @param maxMs longest wait
 * @returns how long to wait before the next try, in milliseconds
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}
