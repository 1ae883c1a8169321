/** What `requesterText` puts behind a name: a pattern of JavaScript and of PostgreSQL. */
export const REQUEST_PATTERN = String.raw` \(request [^)]*\)`;

/** Who asks where no name is given. */
export const UNNAMED_CALLER = 'an unnamed caller';

/** Who asked for a cancellation: a name, and the id of the request, which the log of the API has. */
export function requesterText(name: string, requestId: string): string {
  return `${name} (request ${requestId})`;
}

/** A landing as the one that requests its builds, and changes rows. */
export function landingActor(landingId: number): string {
  return `landing ${landingId}`;
}

/** A text, such as a name or what is said of somebody, without the ids of requests. */
export function withoutRequests(text: string): string {
  return text.replaceAll(new RegExp(REQUEST_PATTERN, 'g'), '');
}
