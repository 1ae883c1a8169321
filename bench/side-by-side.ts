/** Does something for each of many, at most so many at a time, in their order. */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, lane: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const run = async (_: unknown, lane: number) => {
    for (let at = next++; at < items.length; at = next++)
      results[at] = await work(items[at] as Item, lane);
  };
  await Promise.all(Array.from({ length: lanes }, run));
  return results;
}
