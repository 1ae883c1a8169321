import type { Fullticket } from '../../api/openapi/contract.generated.ts';
import { REFERENCE_NAMES } from '../../domain/tickets/ticket.ts';
import type { Field } from '../output/field-list.ts';

/** What a ticket carries besides its parts: what it is about, whose it is, and what is set aside for it. */
export function carriedFields(ticket: Fullticket): Field[] {
  const listed = (texts: readonly string[]) => texts.join(', ');
  return [
    ...ticket.references.map(({ kind, title, url }): Field => [
      REFERENCE_NAMES[kind],
      `${title} ${url}`.trim(),
    ]),
    [
      'Owners',
      listed(
        ticket.owners.map(
          ({ person }) => `${person.name} <${person.email}>${person.is_team ? ' (team)' : ''}`,
        ),
      ),
    ],
    ['Components', listed(ticket.components)],
    ['PPAs', listed(ticket.ppas.map(({ ppa }) => ppa))],
    [
      'Test suites',
      listed(ticket.testsuites.map(({ testsuite }) => testsuite.name || `${testsuite.id}`)),
    ],
  ];
}
