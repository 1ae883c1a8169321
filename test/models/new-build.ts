import type { Build, BuildModel } from '../../models/build.ts';
import type { Database } from '../../models/database.ts';
import type { MutationContext } from '../../models/mutation-context.ts';
import type { Ticket } from '../../models/ticket.ts';

/** Whoever the tests are. */
export const TESTS: MutationContext = { actor: 'tests' };

export const newTicket = ({ Ticket }: Pick<Database, 'Ticket'>): Promise<Ticket> =>
  Ticket.createOne({ owner: 'dev@example.org', title: 'A fix', description: '', bugId: '' }, TESTS);

/** An accepted build of a ticket of its own. @param more what its request has instead */
export async function newBuild(
  database: Pick<Database, 'Build' | 'Ticket'>,
  more: Partial<Parameters<BuildModel['accept']>[0]> = {},
): Promise<Build> {
  const ticket = await newTicket(database);
  return database.Build.accept({
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
