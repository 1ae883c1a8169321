/** A subticket as far as its files go, as the full ticket of the API has it. */
type SubticketWithFiles = {
  readonly replaced_by: string | null;
  readonly artifacts: readonly { readonly type: string; readonly reference: string }[];
};

/**
 * The URLs of the files that a ticket's source packages are made of: the SPU artifacts of its subtickets that nothing
 * replaces, each once.
 */
export function sourceUrlsOf(subtickets: readonly SubticketWithFiles[]): string[] {
  const urls = subtickets
    .filter(({ replaced_by: other }) => other === null)
    .flatMap(({ artifacts }) => artifacts.filter(({ type }) => type === 'SPU'))
    .map(({ reference }) => reference);
  return [...new Set(urls)];
}
