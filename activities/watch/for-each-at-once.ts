/** Works on each of many, a few at once, in their order. @throws what the first that fails throws, once all that began have ended */
export async function forEachAtOnce<T>(
  all: Iterable<T>,
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const rest = all[Symbol.iterator]();
  let failed: { error: unknown } | undefined;
  const run = async () => {
    for (let next = rest.next(); !next.done && !failed; next = rest.next())
      await work(next.value).catch((error: unknown) => {
        failed ??= { error };
      });
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  if (failed) throw failed.error;
}
