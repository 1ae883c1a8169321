import type { ProgressMessage } from '../../domain/builds/progress.ts';
import type { LandingEventBody } from '../../domain/landings/landing.ts';
import type { Evidence } from './evidence.ts';
import type { Violation } from './finding.ts';

/** Each message came out of the queue that its request named. The builds of a landing tell theirs to the landing's. */
export function* inNamedQueues({
  landed,
  rows,
  deliveries,
  landings,
}: Evidence): Iterable<Violation> {
  const ofTickets = new Map(landings.requested.map(({ ticketId, queue }) => [ticketId, queue]));
  const ofPpas = new Map(landed.map(({ ppa, queue }) => [ppa, queue]));
  const ofBuilds = new Map(
    rows.map(({ id, ppa, ticketId }) => [id, ofPpas.get(ppa) ?? ofTickets.get(ticketId)]),
  );
  const came = [
    ...deliveries.map((one) => ({
      ...one,
      named: ofBuilds.get((JSON.parse(one.body) as ProgressMessage).build_id),
    })),
    ...landings.deliveries.map((one) => ({
      ...one,
      named: ofTickets.get((JSON.parse(one.body) as LandingEventBody).ticket_id),
    })),
  ];
  for (const { messageId, queue, named } of came)
    if (queue !== named)
      yield {
        build: messageId,
        what: `came in ${queue}, and its request names ${named ?? 'none'}`,
        evidence: { queue, named },
      };
}
