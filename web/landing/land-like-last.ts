import { parseArchive, usualPocket, type Pocket } from '../../domain/packages/archive.ts';
import { queueOfTicket } from '../../domain/landings/queue-of-ticket.ts';
import type { FullTicket, Landing } from '../server/api-types.ts';

/** What a landing is requested with, as the fields of its form have it; empty where nobody has to say it. */
type LandFields = {
  target: string;
  series: string;
  target_series: string;
  pocket: Pocket | '';
  archive: string;
  progress_trigger: string;
  webhook_id: string;
};

/**
 * Fields for a landing of a ticket that goes where its last one went, and tells whom that told; where it has none, what
 * its last build was for. What goes without saying is empty: it follows from a target or series that a reader changes.
 */
export function landLikeLast(ticket: FullTicket, last: Landing | undefined): LandFields {
  const build = ticket.builds.toSorted((one, other) => other.id - one.id)[0];
  if (!last)
    return {
      target: '',
      series: build?.series ?? '',
      target_series: '',
      pocket: '',
      archive: build?.archive ?? '',
      progress_trigger: '',
      webhook_id: '',
    };
  const target = parseArchive(last.target);
  const queue = last.progress_trigger ?? '';
  return {
    target: last.target,
    series: last.series,
    target_series: last.target_series === last.series ? '' : last.target_series,
    pocket: target && last.pocket === usualPocket(target) ? '' : last.pocket,
    archive: last.archive,
    progress_trigger: queue === queueOfTicket(ticket.id) ? '' : queue,
    webhook_id: last.webhook_id === null ? '' : String(last.webhook_id),
  };
}
