import { Build } from '../../models/build.ts';
import { Ticket } from '../../models/ticket.ts';

export const newTicket = () =>
  Ticket.submit({ owner: 'dev@example.org', title: 'A fix', description: '', bugId: '' });

/** An accepted build of a ticket of its own, in the database that is open. */
export async function newBuild(): Promise<Build> {
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
  });
}
