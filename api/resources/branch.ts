import { BRANCH_TYPES } from '../../domain/tickets/project.ts';
import { oneOf, optionalReference, reference, text } from '../rest/fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { person } from './person.ts';
import { project } from './project.ts';

export const branch = resource({
  name: 'branch',
  summary: "A branch of a project's code, or one that belongs to no project.",
  model: 'Branch',
  fields: {
    unique_name: text({ maxLength: 4096, help: 'Its full name, as ~owner/project/name.' }),
    owner: reference(person, 'ownerId', { help: 'The person or team that it belongs to.' }),
    type: oneOf(BRANCH_TYPES, { help: 'What it is for.' }),
    project: optionalReference(project, 'projectId', { help: 'Its project, or null.' }),
  },
  filters: ['unique_name', 'owner', 'type', 'project'],
  orders: ['unique_name', 'type'],
  writeScope: 'ticket:write',
  errors: { change: ['branch_busy'] },
});
