/**
 * Has those who ask at the same time, or soon after, share one answer, or one failure.
 *
 * @param maxAgeMs how long an answer counts for
 */
export function shareAnswer<T>(
  ask: () => Promise<T>,
  maxAgeMs: number,
  now = () => performance.now(),
): () => Promise<T> {
  let latest: { answer: Promise<T>; untilMs: number } | undefined;
  return () => {
    if (latest && now() < latest.untilMs) return latest.answer;
    const own = { answer: ask(), untilMs: Number.POSITIVE_INFINITY };
    latest = own;
    return own.answer.finally(() => (own.untilMs = now() + maxAgeMs));
  };
}
