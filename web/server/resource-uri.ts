/** The id at the end of a resource's URI. */
export function idOfUri(resourceUri: string): number {
  return Number(/\/(\d+)\/?$/.exec(resourceUri)?.[1]);
}
