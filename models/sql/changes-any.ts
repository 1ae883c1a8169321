/** Whether changes give a row another value in one of some columns. What they leave out stays. */
export function changesAny<Name extends string>(
  row: { readonly [Each in Name]: unknown },
  changes: { readonly [Each in Name]?: unknown },
  ...names: readonly Name[]
): boolean {
  return names.some((name) => (changes[name] ?? row[name]) !== row[name]);
}
