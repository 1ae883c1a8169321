/** The page of a ticket. */
export const ticketAddress = (id: number): string => `/ticket/${id}`;
/** The page of a build. */
export const buildAddress = (id: number): string => `/build/${id}`;
/** The page of a landing: that of its ticket. */
export const landingAddress = (landing: { ticket_id: number; id: number }): string =>
  `/ticket/${landing.ticket_id}?landing=${landing.id}`;
/** The page of a package. */
export const packageAddress = (name: string): string => `/package/${encodeURIComponent(name)}`;

/** The row that a page of a list begins at, as the query of an address has it; the first where it has none. */
export function offsetIn(query: Record<string, string>): number {
  const offset = Number(query['offset'] ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

/**
 * An address that a link may have. What strangers gave may be a script.
 *
 * @returns undefined where it is not one of the web
 */
export function webAddress(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? given : undefined;
}

/** Whether an address is of one of our own pages, and so may be gone to after a sign-in. */
export function isOwnPage(path: string): boolean {
  return /^\/(?![/\\])/.test(path);
}
