import { SUBTICKET_ARTIFACT_TYPES } from '../../domain/ticket.ts';
import { oneOf, reference, text } from '../fields.ts';
import { resource } from '../resource.ts';
import { subticket } from './subticket.ts';

export const subticketArtifact = resource({
  name: 'subticketartifact',
  model: (database) => database.SubticketArtifact,
  fields: {
    name: text(),
    subticket: reference(subticket, 'subticketId'),
    reference: text(),
    type: oneOf(SUBTICKET_ARTIFACT_TYPES),
  },
  filters: ['name', 'subticket', 'type'],
  orders: ['name', 'type'],
  create: (database, values) => database.SubticketArtifact.attach(values),
  change: (database, id, values) => database.SubticketArtifact.revise(id, values),
});
