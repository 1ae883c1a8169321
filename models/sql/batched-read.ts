/**
 * Makes a read by key. Keys that are asked for in the same turn of the event loop are read together: under load, many
 * requests share a statement. Nothing is kept, and nobody joins a read that has begun, so that each caller sees what
 * was committed before it asked.
 *
 * @param readAll gives what there is of these keys; what it throws, everyone who asked for one of them gets
 * @returns gives what there is of a key
 */
export function batchedRead<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let open: { readonly keys: Key[]; readonly found: Promise<ReadonlyMap<Key, Value>> } | undefined;

  async function readTogether(keys: readonly Key[]): Promise<ReadonlyMap<Key, Value>> {
    await new Promise((resolve) => setImmediate(resolve));
    open = undefined;
    return readAll(keys);
  }

  return async (key) => {
    if (!open) {
      const keys: Key[] = [];
      open = { keys, found: readTogether(keys) };
    }
    open.keys.push(key);
    return (await open.found).get(key);
  };
}
