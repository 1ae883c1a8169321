import { Empty } from '../components/notes.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { RowsSection } from '../components/rows-section.tsx';
import { TableHead } from '../components/table-head.tsx';
import { nameOfSubject } from '../../domain/tickets/subticket-subject.ts';
import type { FullTicket } from '../server/api-types.ts';

type Artifact = (FullTicket | FullTicket['subtickets'][number])['artifacts'][number];

const TYPES: Record<Artifact['type'], string> = {
  SPU: 'Source package upload',
  RESULTS: 'Results',
  LOGS: 'Logs',
  IMAGE: 'Image',
};

/** What belongs to a ticket and to its packages: sources, logs, results, images. */
export function Artifacts({ ticket }: { ticket: FullTicket }) {
  const rows = [
    ...ticket.artifacts.map((artifact) => ({ ...artifact, of: 'Ticket' })),
    ...ticket.subtickets.flatMap((subticket) =>
      subticket.artifacts.map((artifact) => ({ ...artifact, of: nameOfSubject(subticket) })),
    ),
  ];
  return (
    <RowsSection
      id="artifacts"
      title="Artifacts"
      rows={rows}
      keyOf={(artifact) => artifact.resource_uri}
      empty={
        <Empty icon="download" title="There are no artifacts.">
          <p>
            Sources and results show up here as they are attached to the ticket or its packages.
          </p>
        </Empty>
      }
    >
      {(held) => (
        <table class="list artifacts">
          <caption class="visually-hidden">Artifacts of the ticket and its packages</caption>
          <TableHead columns={['Name', 'Type', 'Of']} />
          <tbody>
            {held.map((artifact) => (
              <tr key={artifact.resource_uri}>
                <td class="cell-main">
                  <ExternalLink to={artifact.reference}>{artifact.name}</ExternalLink>
                </td>
                <td>
                  {'image' in artifact && artifact.image} {TYPES[artifact.type]}
                </td>
                <td class="breakable">{artifact.of}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </RowsSection>
  );
}
