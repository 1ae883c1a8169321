import { Build } from '../../models/build.ts';
import { Ticket } from '../../models/ticket.ts';
import type { Work } from '../../models/work.ts';

/** Whoever the tests are. */
export const WORK: Work = { actor: 'tests' };

export const newTicket = () =>
  Ticket.add({ owner: 'dev@example.org', title: 'A fix', description: '', bugId: '' }, WORK);

/** An accepted build of a ticket of its own, in the database that is open. @param more what its request has instead */
export async function newBuild(
  more: Partial<Parameters<typeof Build.accept>[0]> = {},
): Promise<Build> {
  const ticket = await newTicket();
  return Build.accept({
    ticketId: ticket.id,
    sourcePackages: ['http://127.0.0.1/hello_2.10-3_source.changes'],
    series: 'bookworm',
    ppa: 'ppa:airline/demo',
    archive: 'debian',
    progressTrigger: `queue-${ticket.id}`,
    cancelUrl: null,
    requestId: 'request-1',
    ...more,
  });
}
