import type { Fullticket, Reference, Ticketppa } from '../../api/openapi/contract.generated.ts';
import { launchpadName } from '../../domain/packages/ppa.ts';
import { givenPpa } from '../builds/given-ppa.ts';
import { CommandError, retold } from '../command-error.ts';
import type { Reference as GivenReference } from '../definition/argument-parsers.ts';
import type { ApiClient } from '../server/api-client.ts';
import { assertUrls } from './add-sources.ts';
import { notAdded } from './not-added.ts';

/** What is sent for a page or a PPA, and how people know it. */
type Link = { path: string; body: object; name: string };

/**
 * Adds pages and PPAs to a ticket, but for those that it has.
 *
 * @returns what was added
 * @throws CommandError `usage` where one of them is no URL or no PPA, and nothing is added then; or one which says what
 * was not added
 */
export async function addLinks(
  api: Pick<ApiClient, 'get' | 'write'>,
  ticketId: number,
  { references, ppas }: { references: readonly GivenReference[]; ppas: readonly string[] },
): Promise<(Reference | Ticketppa)[]> {
  assertUrls(references.map(({ url }) => url));
  for (const ppa of ppas) givenPpa(ppa);
  const had = await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  const ticket = `/api/v1/ticket/${ticketId}/`;
  const keyOf = ({ kind, url }: GivenReference) => `${kind}=${url}`;
  const links = [
    ...missing(references, keyOf, had.references.map(keyOf)).map((one) => ({
      path: '/api/v1/reference/',
      body: { ...one, ticket },
      name: one.url,
    })),
    ...missing(
      ppas,
      launchpadName,
      had.ppas.map(({ ppa }) => launchpadName(ppa)),
    ).map((ppa) => ({
      path: '/api/v1/ticketppa/',
      body: { ppa, ticket },
      name: ppa,
    })),
  ];
  const made: (Reference | Ticketppa)[] = [];
  for (const [at, { path, body }] of links.entries())
    made.push(
      await api.write<Reference | Ticketppa>('POST', path, body).catch((error: unknown) => {
        throw error instanceof CommandError ? linkError(error, links.slice(at)) : error;
      }),
    );
  return made;
}

/** Those of which there is none yet, each once. */
function missing<T>(given: readonly T[], keyOf: (one: T) => string, had: readonly string[]): T[] {
  const byKey = new Map(given.map((one) => [keyOf(one), one]));
  for (const key of had) byKey.delete(key);
  return [...byKey.values()];
}

/** @param missing the links that were not added; whether the first of them was may not be known */
function linkError(error: CommandError, missing: readonly Link[]): CommandError {
  return retold(error, {
    message: `Not everything was added to the ticket: ${error.message}`,
    details: notAdded(
      error,
      missing.map(({ name }) => name),
    ),
    next: 'The next call leaves out what the ticket has.',
  });
}
