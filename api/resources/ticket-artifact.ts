import { ARTIFACT_IMAGE_KINDS, TICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import { oneOf, reference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { ticket } from './ticket.ts';

export const ticketArtifact = resource({
  name: 'ticketartifact',
  summary: 'A file that belongs to a ticket, by its address.',
  model: 'TicketArtifact',
  fields: {
    name: text({ help: 'What it is called.' }),
    ticket: reference(ticket, 'ticketId', { help: 'The ticket that it belongs to.' }),
    reference: text({ help: 'Its URL.' }),
    type: oneOf(TICKET_ARTIFACT_TYPES, { help: 'What kind of file it is.' }),
    image: oneOf(ARTIFACT_IMAGE_KINDS, {
      default: '',
      help: 'Of an IMAGE: frozen, the one for development, or built; empty where nobody has said.',
    }),
  },
  filters: ['name', 'ticket', 'reference', 'type', 'image'],
  orders: ['name', 'type'],
  writeScope: 'ticket:write',
});
