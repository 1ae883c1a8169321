import type { Build, Fullticket } from '../api/contract.ts';
import { CommandError } from './command-error.ts';
import { EXIT } from './exit-code.ts';
import type { Rest } from './rest.ts';

export type BuildWish = {
  ticketId: number;
  /** URLs of all files of the source packages. */
  urls: readonly string[];
  ppa: string;
  series: string;
  archive: string;
  queue?: string | undefined;
  cancelUrl?: string | undefined;
};

/** Requests a build. @throws CommandError */
export async function requestBuild(rest: Rest, wish: BuildWish): Promise<Build> {
  return rest.write<Build>('POST', '/api/v1/build_source', {
    ticket_id: wish.ticketId,
    source_packages: wish.urls,
    series: wish.series,
    ppa: wish.ppa,
    archive: wish.archive,
    progress_trigger: wish.queue ?? `airline-cli-ticket-${wish.ticketId}`,
    cancel_url: wish.cancelUrl ?? null,
  });
}

/**
 * The URLs of the source packages of a ticket: the SPU artifacts of its subtickets that nothing replaces.
 *
 * @throws CommandError `usage` where it has none
 */
export async function sourcesOfTicket(rest: Rest, ticketId: number): Promise<string[]> {
  const ticket = await rest.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  const urls = ticket.subtickets
    .filter(({ replaced_by: other }) => other === null)
    .flatMap(({ artifacts }) => artifacts.filter(({ type }) => type === 'SPU'))
    .map(({ reference }) => reference);
  if (urls.length > 0) return urls;
  throw new CommandError(`Ticket ${ticketId} names no files of source packages.`, {
    code: 'no_sources',
    exit: EXIT.usage,
    hint: 'Its subtickets keep them as artifacts of the type SPU; --source names them by hand.',
  });
}
