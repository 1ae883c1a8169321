/**
 * Does something for each of many, at most so many at a time, in their order. Where one fails, no other begins.
 *
 * @throws what the first that failed threw, once all that had begun have ended
 */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, lane: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed: { error: unknown } | undefined;
  const run = async (_: unknown, lane: number) => {
    for (let at = next++; at < items.length && !failed; at = next++)
      try {
        results[at] = await work(items[at] as Item, lane);
      } catch (error) {
        failed ??= { error };
      }
  };
  await Promise.all(Array.from({ length: lanes }, run));
  if (failed) throw failed.error;
  return results;
}
