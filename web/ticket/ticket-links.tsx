import { REFERENCE_NAMES } from '../../domain/tickets/ticket.ts';
import { ExternalLink } from '../components/external-link.tsx';
import { Fact } from '../components/fact.tsx';
import type { FullTicket } from '../server/api-types.ts';

/** What a ticket is about, whose it is, and what is set aside for it; nothing where nobody has said. */
export function TicketLinks({ ticket }: { ticket: FullTicket }) {
  const { references, owners, ppas, testsuites } = ticket;
  if ([references, owners, ppas, testsuites].every((links) => links.length === 0)) return null;
  return (
    <section class="facts" aria-label="About the ticket">
      <dl>
        {references.map(({ resource_uri: uri, kind, url, title }) => (
          <Fact key={uri} name={REFERENCE_NAMES[kind]}>
            <ExternalLink to={url}>{title === '' ? url : title}</ExternalLink>
          </Fact>
        ))}
        <Facts name="Owners" texts={owners.map(({ person }) => person.name)} />
        <Facts name="PPAs" texts={ppas.map(({ ppa }) => ppa)} />
        <Facts
          name="Test suites"
          texts={testsuites.map(({ testsuite }) => testsuite.name || `#${testsuite.id}`)}
        />
      </dl>
    </section>
  );
}

function Facts({ name, texts }: { name: string; texts: readonly string[] }) {
  return texts.length === 0 ? null : <Fact name={name}>{texts.join(', ')}</Fact>;
}
