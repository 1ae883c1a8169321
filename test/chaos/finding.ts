/** Something that must not be. */
export type Violation = { build: string; what: string; evidence: unknown };

/** One line of the audit. */
export type Finding = {
  promise: string;
  /** How many things were looked at: a line with none proves nothing. */
  checked: number;
  violations: Violation[];
};

/**
 * The line of the audit for one promise.
 *
 * @param checked all that could have broken it
 * @param violations those that did
 */
export function finding(
  promise: string,
  checked: readonly unknown[],
  violations: Iterable<Violation>,
): Finding {
  return { promise, checked: checked.length, violations: [...violations] };
}

/** The items by their key, in the order in which the keys first occur; each group keeps the order of the items. */
export function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** 1, 2, 3 … to the last. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
