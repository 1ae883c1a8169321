/**
 * The rows of a list that may be shown: those that came last, and what is known of those that are shown still.
 *
 * @param shown the keys of the rows that are shown
 * @returns by their keys; no other row is kept, however many have come
 */
export function knownRows<K, R>(
  before: ReadonlyMap<K, R>,
  shown: readonly K[],
  rows: readonly R[],
  keyOf: (row: R) => K,
): ReadonlyMap<K, R> {
  const known = new Map<K, R>();
  for (const key of shown) {
    const row = before.get(key);
    if (row !== undefined) known.set(key, row);
  }
  for (const row of rows) known.set(keyOf(row), row);
  return known;
}
