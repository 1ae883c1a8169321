/** The target of a link of a `Link` header (RFC 8288), as Airline writes it. */
export function linkTarget(header: string, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${relation}"`).exec(header)?.[1];
}
