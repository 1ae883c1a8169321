import { sharedRead } from './shared-read.ts';

/**
 * Makes a read by key. Keys that are asked for in the same turn of the event loop are read together: under load, many
 * requests share a statement, as those of `sharedRead` share a read.
 *
 * @param readAll gives what there is of these keys; what it throws, everyone who asked for one of them gets
 * @returns gives what there is of a key
 */
export function batchedRead<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  const keys: Key[] = [];
  const together = sharedRead<ReadonlyMap<Key, Value>>();
  return async (key) => {
    keys.push(key);
    return (await together('', () => readAll(keys.splice(0)))).get(key);
  };
}
