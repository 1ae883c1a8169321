import { TICKET_ARTIFACT_TYPES } from '../../domain/ticket.ts';
import { oneOf, reference, text } from '../fields.ts';
import { resource } from '../resource.ts';
import { ticket } from './ticket.ts';

export const ticketArtifact = resource({
  name: 'ticketartifact',
  model: (database) => database.TicketArtifact,
  fields: {
    name: text(),
    ticket: reference(ticket, 'ticketId'),
    reference: text(),
    type: oneOf(TICKET_ARTIFACT_TYPES),
  },
  filters: ['name', 'ticket', 'type'],
  orders: ['name', 'type'],
  create: (database, values) => database.TicketArtifact.attach(values),
  change: (database, id, values) => database.TicketArtifact.revise(id, values),
});
