import { ticketAddress } from '../addresses.ts';
import { Empty, ErrorNote, Skeleton } from '../components/notes.tsx';
import type { Landing, Page } from '../server/api-types.ts';
import type { Resource } from '../server/use-resource.ts';

/** Stands for a landing that an address names and that is not there: it is awaited, or why it is not shown. */
export function NoLanding({
  id,
  ticketId,
  loaded: { data, error, isStale, reload },
}: {
  id: number;
  ticketId: number;
  loaded: Resource<Page<Landing>>;
}) {
  if (error) return <ErrorNote what={`Landing ${id}`} error={error} retry={reload} />;
  if (!data || isStale) return <Skeleton lines={12} />;
  return (
    <Empty icon="unknown" title={`This ticket has no landing ${id}.`}>
      <p>
        <a href={ticketAddress(ticketId)}>Show the ticket without it</a>.
      </p>
    </Empty>
  );
}
