/**
 * Shares reads. Those that are asked for under the same key in the same turn of the event loop are one: under load,
 * many requests ask for the same page. Nothing is kept, and nobody joins a read that has begun, so that each caller
 * sees what was committed before it asked.
 *
 * @returns gives what `read` gives; the callers that share it get the same object
 */
export function sharedRead<Value>(): (key: string, read: () => Promise<Value>) => Promise<Value> {
  const open = new Map<string, Promise<Value>>();

  async function begin(key: string, read: () => Promise<Value>): Promise<Value> {
    await new Promise((resolve) => setImmediate(resolve));
    open.delete(key);
    return read();
  }

  return (key, read) => {
    const joined = open.get(key) ?? begin(key, read);
    open.set(key, joined);
    return joined;
  };
}
