import { SUBTICKET_ARTIFACT_TYPES } from '../../domain/tickets/ticket.ts';
import { oneOf, reference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { subticket } from './subticket.ts';

export const subticketArtifact = resource({
  name: 'subticketartifact',
  summary: 'A file that belongs to a subticket, by its address.',
  model: 'SubticketArtifact',
  fields: {
    name: text({ help: 'What it is called.' }),
    subticket: reference(subticket, 'subticketId', { help: 'The subticket that it belongs to.' }),
    reference: text({ help: 'Its URL.' }),
    type: oneOf(SUBTICKET_ARTIFACT_TYPES, { help: 'What kind of file it is.' }),
  },
  filters: ['name', 'subticket', 'reference', 'type'],
  orders: ['name', 'type'],
  writeScope: 'ticket:write',
  errors: { change: ['ticket_under_way'], deletion: ['ticket_under_way'] },
});
