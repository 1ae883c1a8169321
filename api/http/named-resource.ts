/**
 * How a reference names a resource that exists: by its address, or, in an object without one, by its id.
 *
 * @returns the address or the id; undefined where it names none: then its fields find the resource, or it is added. A
 *   text that is neither is returned as it is, and nothing is found by it
 */
export function nameIn(given: unknown): string | number | undefined {
  if (typeof given !== 'object' || given === null) return textOf(given);
  const { resource_uri: uri, id } = given as Readonly<Record<string, unknown>>;
  if (textOf(uri) !== undefined) return textOf(uri);
  if (typeof id === 'number') return id;
  const text = textOf(id);
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : text;
}

function textOf(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}
