/** The id in the URI of a resource; the URI where it has none. */
export function idOfUri(uri: string): string {
  return /(\d+)\/?$/.exec(uri)?.[1] ?? uri;
}
